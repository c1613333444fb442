import { z } from "zod";
import { Identity } from "../claims/identity.ts";

/** The data that a daemon publishes about itself. */
export const DaemonRecord = z.object({
  identity: Identity,
  version: z.string(),
  startedAt: z.string(),
  /** `background` if a command started the daemon. Such a daemon exits when it has been idle for a while. */
  kind: z.enum(["background", "foreground"]),
  /** Absent until the daemon listens on the socket. */
  socketPath: z.string().optional(),
  /** The URL of the daemon, if it listens on a port. */
  url: z.string().optional(),
});
export type DaemonRecord = z.infer<typeof DaemonRecord>;
