import { z } from "zod";
import { SessionId } from "./id.ts";
import { HostName } from "./runtime.ts";

/** A process that runs for a session, or that remains after the session ended. */
export const ProcessInfo = z.strictObject({
  /** The process id. If it runs in a container, the process id inside the container. */
  pid: z.number().int().positive(),
  /** Where it runs. */
  host: HostName,
  /** The name of the container it runs in. */
  container: z.string().optional(),
  /** The command line. */
  command: z.string(),
  /** The session that it was started for, if the store still has it. */
  sessionId: SessionId.optional(),
  /** True if its session has ended or was removed: `reap` kills it. */
  isLeftOver: z.boolean(),
  /**
   * The reason why the host does not respond. The process is then the last known one of a session that may still run.
   */
  unreachable: z.string().optional(),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;
