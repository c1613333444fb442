import type { Halyard } from "../contracts/halyard.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { StartRequest } from "../schema/start-request.ts";

/** Dependencies of the ACP agent. */
export interface AcpContext {
  readonly halyard: Halyard;
  /** Returns the start request for a session in this directory. */
  startRequest(cwd: string): Promise<StartRequest>;
  /** Returns the options for resuming a session, such as its key, which is not recorded. */
  resumeOptions(info: SessionInfo): Promise<ResumeOptions>;
  /** The loosest policy of a session that the client may use or choose. Defaults to every policy. */
  readonly limit?: PermissionPolicy;
  /**
   * True if turns continue after the client disconnects, because another process runs the sessions. Defaults to false:
   * turns end with the client.
   */
  readonly continuesTurns?: boolean;
  /** Models that the user has named. */
  readonly models?: readonly ModelChoice[];
  /** Writes a line that is not meant for the client. */
  log(line: string): void;
}

/** A model that the client can choose. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
}
