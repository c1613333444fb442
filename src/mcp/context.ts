import type { Halyard } from "../core/halyard.ts";
import type { Projects } from "../projects/projects.ts";
import type { PermissionPolicy } from "../schema/permission.ts";

/** All that tools work with. */
export interface McpContext {
  /** Opened by whoever first needs it: listing tools needs none. */
  halyard(): Promise<Halyard>;
  readonly projects: Projects;
  /** What sessions may do by themselves: for whoever starts the server to say, and never for its callers. */
  readonly permissions: PermissionPolicy;
}
