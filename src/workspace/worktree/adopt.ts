import { realpath } from "node:fs/promises";
import type { AdoptedSession } from "../../contracts/worktrees.ts";
import { HalyardError } from "../../errors/error.ts";
import { newSessionId } from "../../errors/require-id.ts";
import type { Environment } from "../../programs/environment.ts";
import type { Adopted, SessionWorktree } from "../../schema/workspace/worktree.ts";
import { countChanges } from "../changes.ts";
import { findExcludesFile } from "../git/excludes-file.ts";
import { findRepository, type Repository } from "../git/find-repository.ts";
import { GitError, gitText, runGit } from "../git/git.ts";
import {
  type CheckpointRepositoryOptions,
  openCheckpointRepository,
  removeCheckpointRepository,
} from "../open-checkpoint-repository.ts";
import { takeSnapshot } from "../snapshot.ts";
import { mergeTrees } from "../tree/merge-trees.ts";
import { exists } from "./worktree-status.ts";

/** Options for `adoptChanges` and `mergeBranch`. */
export interface AdoptOptions {
  /** The Halyard home. */
  readonly home: string;
  readonly env: Environment;
  readonly now: () => Date;
  /** A directory in the repository that receives the changes. */
  readonly cwd: string;
}

/**
 * Applies all changes in a session's worktree, committed or not, to the working tree that contains a directory. Files
 * that both sides changed are merged line by line. Rejects with `conflict` and changes nothing if the changes cannot be
 * merged.
 */
export async function adoptChanges(
  session: AdoptedSession,
  options: AdoptOptions,
): Promise<Adopted> {
  const { worktree } = session;
  const repository = await requireRepository(session, options);
  const repositoryOptions = { ...options, excludesFile: await findExcludesFile(options.env) };
  const theirs = await changedTree(session, repository, repositoryOptions);
  const id = newSessionId(); // an id that no session has, for the checkpoints of the caller's tree
  try {
    const checkpoints = await openCheckpointRepository(id, repository.root, repositoryOptions);
    const ours = await takeSnapshot(checkpoints);
    const merge = await mergeTrees(checkpoints, { base: worktree.base, ours, theirs });
    if (merge.conflicts) throw conflictIn(merge.conflicts, session);
    const counts = await countChanges(checkpoints, ours, merge.tree, undefined);
    const diff = ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames"];
    const { stdout: input } = await runGit([...diff, ours, merge.tree], checkpoints.git);
    if (input.length > 0)
      await runGit(["apply", "--whitespace=nowarn"], { ...checkpoints.git, input }).catch(refused);
    return { sessionId: session.id, root: repository.root, ...counts };
  } finally {
    await removeCheckpointRepository(id, repositoryOptions);
  }
}

/**
 * Merges the branch of a session's worktree. A merge that is not a fast-forward is staged but not committed. Rejects with
 * `conflict` and changes nothing if one of the two trees has uncommitted changes, or if the merge has conflicts.
 */
export async function mergeBranch(
  session: AdoptedSession,
  options: AdoptOptions,
): Promise<Adopted> {
  const { worktree } = session;
  const { root, gitDir } = await requireRepository(session, options);
  const git = { gitDir, workTree: root, env: options.env };
  const status = ["status", "--porcelain", "--untracked-files=no"];
  if ((await gitText(status, git)) !== "")
    throw new HalyardError(
      "conflict",
      `${root} has changes that are not committed. Commit or stash them, or run "halyard adopt" without --merge.`,
    );
  await requireCommitted(worktree, options.env);
  const before = await gitText(["rev-parse", "HEAD"], git);
  const isAhead = await runGit(["merge-base", "--is-ancestor", "HEAD", worktree.branch], {
    ...git,
    exitCodes: [0, 1],
  });
  const isStaged = isAhead.exitCode !== 0;
  const how = isStaged ? ["--no-ff", "--no-commit"] : ["--ff-only"];
  try {
    await runGit(["merge", "--quiet", ...how, worktree.branch], git);
  } catch (error) {
    if (isStaged) await runGit(["merge", "--abort"], git).catch(() => {}); // fails if no merge was started
    throw error instanceof GitError ? mergeConflict(worktree, error) : error;
  }
  const args = ["diff", "--shortstat", isStaged ? "--cached" : "--no-renames", before];
  return { sessionId: session.id, root, ...countsIn(await gitText(args, git)), isStaged };
}

async function requireRepository(
  { id, worktree }: AdoptedSession,
  { cwd }: AdoptOptions,
): Promise<Repository> {
  const [here, origin] = await Promise.all([
    findRepository(cwd),
    realpath(worktree.origin).then(findRepository, () => undefined),
  ]);
  if (here && here.root !== worktree.path && here.commonDir === origin?.commonDir) return here;
  throw new HalyardError(
    "invalid_input",
    `${cwd} is not in the repository of ${id}, or is in the worktree of ${id} itself. Run the command in ${worktree.origin}.`,
  );
}

/** Returns the tree of all files in the worktree, or in its branch if the worktree was removed. */
async function changedTree(
  { id, worktree }: AdoptedSession,
  { gitDir }: Repository,
  options: CheckpointRepositoryOptions,
): Promise<string> {
  if (await exists(worktree.path))
    return takeSnapshot(await openCheckpointRepository(id, worktree.path, options));
  const args = ["rev-parse", "--verify", "--quiet", `refs/heads/${worktree.branch}^{tree}`];
  try {
    return await gitText(args, { gitDir, env: options.env, isPrivate: true });
  } catch (cause) {
    const message = `The worktree of ${id} and its branch ${worktree.branch} were removed, so there is nothing to adopt. Run "halyard diff ${id}" to see the recorded changes.`;
    throw new HalyardError("invalid_input", message, { cause });
  }
}

async function requireCommitted({ path }: SessionWorktree, env: Environment): Promise<void> {
  const found = (await exists(path)) ? await findRepository(path) : undefined;
  if (!found) return;
  const git = { gitDir: found.gitDir, workTree: path, env };
  if ((await gitText(["status", "--porcelain"], git)) === "") return;
  throw new HalyardError(
    "conflict",
    `${path} has changes that are not committed, which a merge would leave out. Commit them in the worktree, or run "halyard adopt" without --merge.`,
  );
}

function conflictIn(paths: readonly string[], { id }: AdoptedSession): HalyardError {
  const shown = paths.slice(0, 10).map((path) => `  ${path}`);
  const more = paths.length > shown.length ? `\n  … and ${paths.length - shown.length} more` : "";
  return new HalyardError(
    "conflict",
    `The changes of ${id} conflict with changes in your working tree, and nothing was changed. Stash your changes to these files and try again, or merge the changes by hand:\n${shown.join("\n")}${more}`,
  );
}

function mergeConflict({ branch }: SessionWorktree, cause: GitError): HalyardError {
  const message = `Git cannot merge the branch ${branch} automatically, and nothing was changed. Run "git merge ${branch}" to see the problem and resolve it by hand.`;
  return new HalyardError("conflict", message, { cause });
}

function refused(cause: unknown): never {
  if (!(cause instanceof GitError) || cause.reason !== "failed") throw cause;
  const message = `The changes cannot be applied, and nothing was changed: ${cause.stderr}. Move or stash these files, and try again.`;
  throw new HalyardError("conflict", message, { cause });
}

function countsIn(text: string): Pick<Adopted, "files" | "insertions" | "deletions"> {
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    files: count(/(\d+) files? changed/),
    insertions: count(/(\d+) insertion/),
    deletions: count(/(\d+) deletion/),
  };
}
