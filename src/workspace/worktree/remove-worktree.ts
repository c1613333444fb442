import { readFile, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Lanes } from "../../async/lanes.ts";
import type { Environment } from "../../programs/environment.ts";
import type { GitSetting } from "../../programs/git-settings.ts";
import { GitError, runGit } from "../git/git.ts";
import { releasePorts } from "./ports.ts";
import { hashOf } from "./set-up.ts";
import { runWorktreeCommand } from "./worktree-command.ts";
import { removeWorktreeRecord, type WorktreeRecord, worktreesIn } from "./worktree-record.ts";
import { gitDirectories } from "./worktree-status.ts";

/** Options for `removeWorktree`. */
export interface RemoveOptions {
  /** The Halyard home. */
  readonly home: string;
  readonly env: Environment;
  /** True to remove the worktree with all its files, because no agent has worked in it. Defaults to false. */
  readonly force?: boolean;
  /**
   * The branch is deleted only if Halyard created it and its tip is this commit. Defaults to the commit from which the
   * branch was created. An empty string keeps the branch.
   */
  readonly branchAt?: string | undefined;
  readonly drivers?: readonly GitSetting[] | undefined;
  /** Runs the commands that change a repository's worktrees one at a time. */
  readonly lanes: Lanes;
}

/**
 * Removes a worktree and its record, and deletes its branch if `branchAt` allows it and the branch is not checked out
 * elsewhere. Without `force`, git refuses if the worktree has uncommitted changes. Every step can be repeated after a
 * crash. Returns the deleted branch's commit, or undefined if the branch was kept.
 */
export async function removeWorktree(
  record: WorktreeRecord,
  { home, env, drivers, lanes, force = false, branchAt = record.base }: RemoveOptions,
): Promise<string | undefined> {
  const { path, commonDir, branch, ownsBranch, portBase } = record;
  const git = { gitDir: commonDir, env, drivers };
  const remove = (how: readonly string[]) =>
    lanes.run(commonDir, () =>
      runWorktreeCommand(["remove", ...how, path], { ...git, cwd: commonDir }),
    );
  if (!force) await removeCopies(record);
  try {
    await remove(force ? ["--force", "--force"] : []);
  } catch (error) {
    if (force) await lanes.run(commonDir, () => removeDamaged(record));
    else if (error instanceof GitError && /is not a working tree|missing/.test(error.message))
      await removeEmpty(path);
    else throw error;
  }
  const isDeleted = ownsBranch && branchAt !== "" && (await deleteBranch(branch, branchAt, git));
  await releasePorts(worktreesIn(home), portBase);
  await removeWorktreeRecord(record);
  return isDeleted ? branchAt : undefined;
}

/**
 * Removes a worktree whose creating process was killed. Git reads all worktrees' directories first, and exits if one of
 * them is incomplete. The incomplete worktree would therefore also prevent the user from creating a worktree.
 */
async function removeDamaged({ path, commonDir, branch, ownsBranch }: WorktreeRecord) {
  const parent = join(commonDir, "worktrees");
  const directories = await gitDirectories(commonDir);
  // git may not have written its file "gitdir" yet
  const gitDir = directories.get(path) ?? join(parent, basename(path));
  for (const directory of [path, gitDir])
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  await rmdir(parent).catch(() => {}); // fails if there are other worktrees, or if the directory was already removed
  if (ownsBranch) await rm(join(commonDir, "refs", "heads", `${branch}.lock`), { force: true });
}

async function removeEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

/**
 * Removes files that were copied into the worktree and have not changed since, so that git does not treat them as work.
 */
export async function removeCopies({ copied, path }: WorktreeRecord): Promise<void> {
  for (const [name, hash] of Object.entries(copied))
    if ((await hashOf(join(path, name))) === hash) await rm(join(path, name));
}

/** Deletes a branch if it is at the commit and no worktree has checked it out. */
async function deleteBranch(
  branch: string,
  at: string,
  { gitDir, env }: { readonly gitDir: string; readonly env: Environment },
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  if ((await headsOf(gitDir)).includes(`ref: ${ref}`)) return false;
  try {
    await runGit(["update-ref", "-d", ref, at], { gitDir, env, isPrivate: true });
    return true;
  } catch (error) {
    // the branch does not exist, or is at another commit
    if (error instanceof GitError && error.reason === "failed") return false;
    throw error;
  }
}

/** Returns the content of `HEAD` in the repository and in all of its worktrees. */
async function headsOf(commonDir: string): Promise<string[]> {
  const gitDirs = [commonDir, ...(await gitDirectories(commonDir)).values()];
  const heads = gitDirs.map((gitDir) => readFile(join(gitDir, "HEAD"), "utf8").catch(() => ""));
  return (await Promise.all(heads)).map((head) => head.trim());
}
