import { z } from "zod";
import { HostName } from "../host.ts";
import { SessionId } from "../id.ts";

/** A process that was started for a session. It may still run after the session has ended. */
export const ProcessInfo = z.strictObject({
  /** The process id. For a process in a container, the process id inside the container. */
  pid: z.number().int().positive(),
  /** The host on which the process runs. */
  host: HostName,
  /** The name of the container in which the process runs. */
  container: z.string().optional(),
  /** The command line. */
  command: z.string(),
  /** The session for which the process was started, if it is still in the store. */
  sessionId: SessionId.optional(),
  /**
   * True if the session of the process has ended, was removed, or continues on another machine. `reap` kills such
   * processes.
   */
  isLeftOver: z.boolean(),
  /**
   * The reason why the host does not respond. The other fields then describe the last known process of a session that
   * may still be running.
   */
  unreachable: z.string().optional(),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;
