import type { SessionInfo } from "../session.ts";

/**
 * Returns the name under which budgets, reports and lists group a session: its project, otherwise the directory for
 * which it was requested.
 */
export function projectNameOf({
  project,
  worktree,
  cwd,
}: Pick<SessionInfo, "project" | "worktree" | "cwd">): string {
  return project ?? worktree?.origin ?? cwd;
}
