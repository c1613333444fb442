import type { Heads } from "../../schema/workspace/saved-session.ts";
import type { CheckpointRepository } from "../checkpoint-repository.ts";
import { type GitOptions, gitText, runGit } from "../git/git.ts";

/**
 * Returns the branches and the HEAD of the user's repository. Returns undefined outside a repository, or if HEAD refers
 * to no commit.
 */
export async function readHeads(repository: CheckpointRepository): Promise<Heads | undefined> {
  const git = userGit(repository);
  if (git === undefined) return undefined;
  const list = await gitText(
    ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"],
    git,
  );
  const branches = Object.fromEntries(
    list.split("\n").flatMap((line) => {
      const [hash = "", name = ""] = line.split(" ");
      return name === "" ? [] : [[name.slice("refs/heads/".length), hash]];
    }),
  );
  const quiet = { ...git, exitCodes: [0, 1, 128] };
  const branch = await gitText(["symbolic-ref", "--quiet", "--short", "HEAD"], quiet);
  if (branch !== "")
    return branches[branch] === undefined ? undefined : { branches, head: { branch } };
  const commit = await gitText(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], quiet);
  return commit === "" ? undefined : { branches, head: { commit } };
}

/**
 * Sets the branches, HEAD and the index in the user's repository. Changes no file in the working tree. Has no effect
 * outside a repository.
 */
export async function writeHeads(
  repository: CheckpointRepository,
  { branches, head }: Heads,
): Promise<void> {
  const git = userGit(repository);
  if (git === undefined) return;
  const updates = Object.entries(branches).map(
    ([name, hash]) => `update refs/heads/${name} ${hash}\n`,
  );
  await runGit(["update-ref", "--stdin"], { ...git, input: updates.join("") });
  await runGit(
    "branch" in head
      ? ["symbolic-ref", "HEAD", `refs/heads/${head.branch}`]
      : ["update-ref", "--no-deref", "HEAD", head.commit],
    git,
  );
  await runGit(["read-tree", "HEAD"], git);
}

/**
 * Returns options for the user's repository. The commands in this module read no files in the working tree, so none of
 * the repository's filters run.
 */
function userGit({ git, userGitDir, root }: CheckpointRepository): GitOptions | undefined {
  if (userGitDir === undefined) return undefined;
  return { gitDir: userGitDir, workTree: root, cwd: userGitDir, env: git.env, isPrivate: true };
}
