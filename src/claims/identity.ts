import { z } from "zod";

/** Identifies a process. A later process with the same pid has a different start time or boot id. */
export const Identity = z.object({
  pid: z.number().int().positive(),
  startTime: z.string(),
  bootId: z.string(),
});
export type Identity = z.infer<typeof Identity>;
