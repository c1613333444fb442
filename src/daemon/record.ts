import { z } from "zod";
import { Identity } from "../claims/identity.ts";

/** The data that a daemon publishes about itself. */
export const DaemonRecord = z.object({
  identity: Identity,
  version: z.string(),
  startedAt: z.string(),
  /** `background`: started by a command; exits when no session is live. */
  kind: z.enum(["background", "foreground"]),
  /** Missing until the daemon listens on the socket. */
  socketPath: z.string().optional(),
  /** URL on the network, if the daemon listens there. */
  url: z.string().optional(),
});
export type DaemonRecord = z.infer<typeof DaemonRecord>;
