import { z } from "zod";
import { SessionId } from "./id.ts";
import { HostName } from "./runtime.ts";

/** A process that runs for a session, or is left of one. */
export const ProcessInfo = z.strictObject({
  /** The process id; inside the container, if it runs in one. */
  pid: z.number().int().positive(),
  /** Where it runs. */
  host: HostName,
  /** The name of the container it runs in. */
  container: z.string().optional(),
  /** The command line. */
  command: z.string(),
  /** The session that it was started for, if that is still on record. */
  sessionId: SessionId.optional(),
  /** True if its session has ended or was removed: `reap` kills it. */
  isLeftOver: z.boolean(),
  /** Set if the host does not answer: the reason. The process is the last known one of a session that may still run. */
  unreachable: z.string().optional(),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;
