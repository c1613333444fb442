import { PORTS_PER_WORKTREE } from "./worktree.ts";

/** Returns the environment variables that tell programs in a worktree which ports to use. */
export function portVariables(portBase: number): Record<string, string> {
  return { HALYARD_PORT_BASE: String(portBase), HALYARD_PORT_COUNT: String(PORTS_PER_WORKTREE) };
}
