import { z } from "zod";

/** A process, told from any later one that got the same pid. */
export const Identity = z.object({
  pid: z.number().int().positive(),
  startTime: z.string(),
  bootId: z.string(),
});
export type Identity = z.infer<typeof Identity>;

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
