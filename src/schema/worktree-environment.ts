import { PORTS_PER_WORKTREE } from "./workspace/worktree.ts";

/** Returns the variables with which the programs of a worktree find its ports. */
export function portVariables(portBase: number): Record<string, string> {
  return { HALYARD_PORT_BASE: String(portBase), HALYARD_PORT_COUNT: String(PORTS_PER_WORKTREE) };
}
