import { z } from "zod";
import { Identity } from "../claims/identity.ts";

/** What a daemon says of itself, for whoever looks for it. */
export const DaemonRecord = z.object({
  identity: Identity,
  version: z.string(),
  startedAt: z.string(),
  /** `background`: started by a command, and gone when there is nothing left to do. */
  kind: z.enum(["background", "foreground"]),
  /** Left out until it answers there. */
  socketPath: z.string().optional(),
  /** Where it answers on the network, if it does. */
  url: z.string().optional(),
});
export type DaemonRecord = z.infer<typeof DaemonRecord>;
