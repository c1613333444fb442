import { createHash } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Lanes } from "../../async/lanes.ts";
import type { ProcessIdentity } from "../../contracts/host.ts";
import type { MadeWorktree } from "../../contracts/worktrees.ts";
import { HalyardError } from "../../errors/error.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { allowedEnvironment, type Environment } from "../../programs/environment.ts";
import type { SessionId } from "../../schema/id.ts";
import type { WorktreeRequest } from "../../schema/workspace/worktree.ts";
import { portVariables } from "../../schema/workspace/worktree-environment.ts";
import type { WorktreeSettings } from "../../schema/workspace/worktree-settings.ts";
import { findRepository, type Repository } from "../git/find-repository.ts";
import { GitError, gitText, runGit } from "../git/git.ts";
import { releasePorts, reservePorts } from "./ports.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { copyFiles, runSetUp } from "./set-up.ts";
import { runWorktreeCommand } from "./worktree-command.ts";
import { type WorktreeRecord, worktreesIn, writeRecord } from "./worktree-record.ts";

/** Options for `makeWorktree`. */
export interface MakeOptions {
  /** The Halyard home. */
  readonly home: string;
  readonly env: Environment;
  /** The identity of this process. */
  readonly maker: ProcessIdentity;
  /** The directory for which the session was requested. */
  readonly cwd: string;
  readonly settings: WorktreeSettings;
  readonly now: () => Date;
  /** Runs the commands that change a repository's worktrees one at a time. */
  readonly lanes: Lanes;
}

/**
 * Creates a worktree for the repository that contains a directory. Writes the record first, so that the next prune
 * removes a worktree whose creation was aborted.
 */
export async function makeWorktree(
  id: SessionId,
  request: WorktreeRequest,
  options: MakeOptions,
): Promise<MadeWorktree> {
  const { home, env, maker, settings, lanes } = options;
  const origin = await realpath(options.cwd);
  const repository = await findRepository(origin);
  if (!repository)
    throw new HalyardError(
      "invalid_input",
      `worktree: ${options.cwd} is not in the working tree of a git repository. Run "git init" and commit there, change to a working tree if the repository is bare, or omit the worktree.`,
    );
  const git = { gitDir: repository.gitDir, workTree: repository.root, env };
  const { branch, base, isNew } = await chooseBranch(id, request, git);
  const name = request.branch === undefined ? short(id) : `${slug(branch)}-${short(id)}`;
  const path = join(worktreesIn(home), nameOf(repository), name);
  await makeDirectory(dirname(path), { mode: 0o700 });
  const portBase = await reservePorts(worktreesIn(home), { path, maker });
  const target = await checkedOut(git);
  const record: WorktreeRecord = {
    path,
    branch,
    base,
    origin,
    portBase,
    sessionId: id,
    repository: repository.root,
    commonDir: repository.commonDir,
    ...(target !== undefined && { target }),
    ownsBranch: isNew,
    maker,
    copied: {},
    createdAt: options.now().toISOString(),
  };
  const discard = async () => {
    await removeWorktree(record, { home, env, lanes, force: true });
  };
  try {
    await writeRecord(record);
    await lanes.run(record.commonDir, () => addWorktree(record, isNew, git));
    const cwd = join(path, relative(repository.root, origin));
    await mkdir(cwd, { recursive: true }); // created if it is missing, because git does not store empty directories
    const paths = { repository: repository.root, path };
    const copied = await copyFiles(settings, paths);
    await runSetUp(settings, paths, allowedEnvironment(env, portVariables(portBase)));
    const { maker: _, ...kept } = { ...record, copied };
    const worktree = { path, branch, base, origin, portBase };
    return { worktree, cwd, keep: () => writeRecord(kept), discard };
  } catch (error) {
    // the next prune removes the remaining files
    await discard().catch(() => releasePorts(worktreesIn(home), portBase));
    throw error instanceof GitError ? gitFailure(branch, error) : error;
  }
}

type Git = Parameters<typeof runGit>[1];

/** Returns the branch, the commit at which it starts, and whether it is new. */
async function chooseBranch(id: SessionId, { branch, base }: WorktreeRequest, git: Git) {
  const isThere = branch !== undefined && (await commitOf(`refs/heads/${branch}`, git));
  if (branch !== undefined && isThere) {
    if (base === undefined) return { branch, base: isThere, isNew: false };
    throw new HalyardError(
      "invalid_input",
      `worktree: the branch ${branch} already exists, so it cannot start at ${base}. Omit the base, or choose another branch.`,
    );
  }
  const commit = await commitOf(base ?? "HEAD", git);
  if (commit !== undefined)
    return { branch: branch ?? `halyard/${short(id)}`, base: commit, isNew: true };
  throw new HalyardError(
    "invalid_input",
    base === undefined
      ? 'worktree: the repository has no commits. Run "git commit" first.'
      : `worktree: the repository has no commit ${base}. Run "git log" or "git branch" to list commits and branches.`,
  );
}

async function commitOf(name: string, git: Git): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const found = await gitText(args, { ...git, exitCodes: [0, 1, 128], isPrivate: true });
  return found === "" ? undefined : found;
}

/** Returns the branch that is checked out, or undefined if none is. */
async function checkedOut(git: Git): Promise<string | undefined> {
  const args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
  return (await gitText(args, { ...git, exitCodes: [0, 1], isPrivate: true })) || undefined;
}

/**
 * Creates the worktree and, if it is new, the branch. Creates the branch separately, because `git worktree add -b` could
 * not be repeated if it failed after creating the branch.
 */
async function addWorktree(record: WorktreeRecord, isNew: boolean, git: Git): Promise<void> {
  const { path, branch, base } = record;
  const zero = "0".repeat(base.length); // the update fails if the branch already exists
  if (isNew)
    await runGit(["update-ref", `refs/heads/${branch}`, base, zero], { ...git, isPrivate: true });
  await runWorktreeCommand(["add", "--quiet", path, branch], git);
}

function gitFailure(branch: string, error: GitError): HalyardError {
  const reason = error.stderr || error.message;
  const isTaken = /already|invalid|not a valid/.test(reason);
  const advice = isTaken
    ? "Choose another branch."
    : "Fix the problem, and start the session again.";
  const message = `worktree: the branch ${branch} cannot be checked out: ${reason}. ${advice}`;
  return new HalyardError("invalid_input", message, { cause: error });
}

/**
 * Returns the name of the directory for a repository's worktrees. It is readable, and differs for two repositories with
 * the same name.
 */
function nameOf({ commonDir }: Repository): string {
  const top = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
  const hash = createHash("sha256").update(commonDir).digest("hex").slice(0, 6);
  return `${slug(basename(top))}-${hash}`;
}

function short(id: SessionId): string {
  return id.slice("ses_".length, "ses_".length + 8);
}

function slug(text: string): string {
  return (
    text
      .replaceAll(/[^a-zA-Z0-9._]+/g, "-")
      .replaceAll(/^[-.]+|[-.]+$/g, "")
      .slice(0, 40) || "x"
  );
}
