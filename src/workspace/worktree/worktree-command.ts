import { GitError, type GitOptions, runGit } from "../git/git.ts";

/**
 * Runs `git worktree` with arguments. Git lists all of the repository's worktrees first, and exits if another process
 * removes one of them at the same time. In that case, git has changed nothing, so the command is repeated up to 4 times.
 */
export async function runWorktreeCommand(
  args: readonly string[],
  options: GitOptions,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await runGit(["worktree", ...args], options);
      return;
    } catch (error) {
      if (tries === MAX_TRIES || !isListingError(error)) throw error;
    }
  }
}

const MAX_TRIES = 5;

/** True if git could not list the repository's worktrees. */
export function isListingError(error: unknown): boolean {
  const stderr = error instanceof GitError ? error.stderr : "";
  return /^fatal: (Invalid path|failed to read|could not open) .*[/\\]worktrees[/\\]/im.test(
    stderr,
  );
}
