import type { Halyard } from "../contracts/halyard.ts";
import type { Projects } from "../projects/projects.ts";
import type { PermissionPolicy } from "../schema/permission.ts";

/** Dependencies of the MCP tools. */
export interface McpContext {
  /** Opens the Halyard on first use. Listing tools does not need it. */
  halyard(): Promise<Halyard>;
  readonly projects: Projects;
  /**
   * The policy of the sessions that clients start, and the loosest that a session may have for clients to use it. The
   * user who starts the server decides it, and clients cannot change it.
   */
  readonly permissions: PermissionPolicy;
  /**
   * Lets the client answer the requests of sessions that it started. Otherwise `ask` denies, because an agent that answers
   * its own requests may do everything.
   */
  readonly answers: boolean;
  /** The working directory of the server, where sessions without a project work. */
  readonly directory: string;
}
