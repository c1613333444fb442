import { PORTS_PER_WORKTREE } from "./worktree.ts";

/** Returns the environment variables that assign ports to the programs in a worktree. */
export function portVariables(portBase: number): Record<string, string> {
  return { HALYARD_PORT_BASE: String(portBase), HALYARD_PORT_COUNT: String(PORTS_PER_WORKTREE) };
}
