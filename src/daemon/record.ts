import { z } from "zod";
import { Identity } from "../claims/identity.ts";

/** The data that a daemon or a worker publishes about itself. */
export const DaemonRecord = z.object({
  identity: Identity,
  version: z.string(),
  startedAt: z.string(),
  /** `background` for a daemon that commands start and that exits when it is idle. `foreground` for `serve` and workers. */
  kind: z.enum(["background", "foreground"]),
  /** Absent until the daemon listens on the socket. */
  socketPath: z.string().optional(),
  /** The URL of the daemon, if it listens on a port. */
  url: z.string().optional(),
});
export type DaemonRecord = z.infer<typeof DaemonRecord>;
