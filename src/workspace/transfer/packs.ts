import type { PackContents, PackOptions } from "../../contracts/workspace.ts";
import type { CheckpointRepository } from "../checkpoint-repository.ts";
import { GitError, type GitOptions, runGit } from "../git/git.ts";

/**
 * Returns a git pack with the objects of `commits`, without those that `known` and `history` contain. Returns undefined
 * if the pack would be larger than `maxBytes`.
 */
export async function packObjects(
  git: GitOptions,
  { commits, known = [], history = [] }: PackContents,
  { maxBytes, signal }: PackOptions,
): Promise<Buffer | undefined> {
  // A session's checkpoints have no parents, so the trees are excluded instead of the commits.
  const lines = [
    ...commits,
    ...known.map((commit) => `^${commit}^{tree}`),
    ...history.map((commit) => `^${commit}`),
  ];
  const args = ["pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset"];
  const input = `${lines.join("\n")}\n`;
  try {
    return (await runGit(args, { ...inGitDir(git), input, maxBytes, signal })).stdout;
  } catch (error) {
    if (error instanceof GitError && error.reason === "too_much_output") return undefined;
    throw error;
  }
}

/** Adds a pack's objects to a git directory. */
export async function addPack(git: GitOptions, pack: Buffer): Promise<void> {
  await runGit(["index-pack", "--stdin"], { ...inGitDir(git), input: pack });
}

/**
 * Returns options that run git in the git directory, because the working tree may no longer exist. The commands in this
 * file do not read the working tree.
 */
function inGitDir(git: GitOptions): GitOptions {
  return { ...git, cwd: git.gitDir };
}

/**
 * Returns the whole patch between two commits, including binary files, in the format of `git apply`. Rejects with a
 * `GitError` if the patch is larger than `maxBytes`.
 */
export async function completePatch(
  { git }: CheckpointRepository,
  from: string,
  to: string,
  { maxBytes, signal }: PackOptions,
): Promise<Buffer> {
  const args = ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", from, to];
  return (await runGit(args, { ...inGitDir(git), maxBytes, signal })).stdout;
}
