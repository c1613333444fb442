import type { Halyard, ResumeOptions } from "../core/halyard.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { StartRequest } from "../schema/start-request.ts";

/** All that an ACP agent works with. */
export interface AcpContext {
  readonly halyard: Halyard;
  /** What a session in that directory is to be started with. */
  startRequest(cwd: string): Promise<StartRequest>;
  /** What a session is to be taken up again with: its key above all, which is on no record. */
  resumeOptions(info: SessionInfo): Promise<ResumeOptions>;
  /** The loosest policy of a session that the client may use or choose. Defaults to every policy. */
  readonly limit?: PermissionPolicy;
  /** Turns go on when the client leaves, because the sessions are not run here; otherwise they end with it. */
  readonly turnsGoOn?: boolean;
  /** The models that the user has names for. */
  readonly models?: readonly NamedModel[];
  /** Hears what is of no use to the client. */
  log(line: string): void;
}

/** A model to choose. */
export interface NamedModel {
  readonly id: string;
  readonly name: string;
}
