import type { Halyard } from "../contracts/halyard.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Dependencies of the ACP agent. */
export interface AcpContext {
  readonly halyard: Halyard;
  /** Returns the start request for a session in this directory. */
  startRequest(cwd: string): Promise<StartRequest>;
  /** Returns the options for resuming a session, including values that are not recorded, such as its key. */
  resumeOptions(info: SessionInfo): Promise<ResumeOptions>;
  /**
   * The loosest policy that the client may select. The client cannot use sessions with a looser policy. Defaults to no
   * limit.
   */
  readonly limit?: PermissionPolicy;
  /**
   * True if turns continue after the client disconnects, because another process runs the sessions. Defaults to false:
   * turns end when the client disconnects.
   */
  readonly continuesTurns?: boolean;
  /**
   * True if clients connect over a network and may reconnect. Sessions then continue when a client disconnects, and a
   * request that one client cannot display stays open for other clients. Defaults to false.
   */
  readonly canReconnect?: boolean;
  /** The models that the user has configured by name. */
  readonly models?: readonly ModelChoice[];
  /** Writes a line to Halyard's own log, which the client does not receive. */
  log(line: string): void;
}

/** A model that the client can choose. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
}
