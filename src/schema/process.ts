import { z } from "zod";
import { SessionId } from "./id.ts";
import { HostName } from "./runtime.ts";

/** A process that runs for a session, or is left of one. */
export const ProcessInfo = z.strictObject({
  /** As its container counts, where it runs in one. */
  pid: z.number().int().positive(),
  host: HostName,
  /** The name of the container it runs in. */
  container: z.string().optional(),
  command: z.string(),
  /** The session it was started for, where that is still on record. */
  sessionId: SessionId.optional(),
  /** Its session is over or forgotten: `reap` ends it. */
  isLeftOver: z.boolean(),
  /** Set if the host does not answer: the reason. The process is the last known one of a session that may still run. */
  unreachable: z.string().optional(),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;
