import { constants } from "node:fs";
import { access, open, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import { makeDirectory } from "../files/make-directory.ts";
import { writeFileAtomically } from "../files/write-file-atomically.ts";
import { type Environment, homeIn } from "../programs/environment.ts";
import type { SessionId } from "../schema/id.ts";
import { CheckpointRefs } from "./checkpoint-refs.ts";
import type { CheckpointLimits, CheckpointRepository } from "./checkpoint-repository.ts";
import { findRepository, type Repository } from "./git/find-repository.ts";
import { GitError, gitText, runGit } from "./git/git.ts";
import { type RepositoryPaths, readRepositoryPaths } from "./git/repository-paths.ts";

/** The options of `openCheckpointRepository`. */
export interface CheckpointRepositoryOptions {
  /** Halyard's home directory. Its files are never recorded. */
  readonly home: string;
  readonly env: Environment;
  /** The file that contains the user's ignore rules, if there is one. */
  readonly excludesFile: string | undefined;
  readonly now: () => Date;
}

/**
 * Returns the directory that contains a session's private index and private git directory. No agent can write to it.
 */
function directoryOf(home: string, id: SessionId): string {
  return join(home, "workspaces", id);
}

/**
 * Opens a session's checkpoint repository. Creates it if it does not exist or its objects were deleted. Rejects with
 * `workspace_failed` if the files of the directory cannot be recorded.
 */
export async function openCheckpointRepository(
  id: SessionId,
  cwd: string,
  options: CheckpointRepositoryOptions,
): Promise<CheckpointRepository> {
  const directory = directoryOf(options.home, id);
  const known = await readRepositoryPaths(directory);
  if (known !== undefined && (await isUsable(directory, known)))
    return checkpointRepositoryOf(id, directory, known, options);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const record = await choose(cwd, options);
  await refuseOwnHome(record, options);
  await createGitDirectory(directory, record, options);
  await writeFileAtomically(join(directory, "paths.json"), JSON.stringify(record));
  return checkpointRepositoryOf(id, directory, record, options);
}

/** Deletes a session's checkpoints. */
export async function removeCheckpointRepository(
  id: SessionId,
  options: CheckpointRepositoryOptions,
): Promise<void> {
  const directory = directoryOf(options.home, id);
  const record = await readRepositoryPaths(directory);
  if (record?.commonDir !== undefined && (await isUsable(directory, record)))
    await checkpointRepositoryOf(id, directory, record, options)
      .refs?.removeAll()
      .catch(ignoreMissingGit);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Ignores the error if git is missing, so that a session can be removed after git was uninstalled. The session's refs
 * then remain in the user's repository.
 */
function ignoreMissingGit(error: unknown): void {
  if (!(error instanceof GitError && error.reason === "missing")) throw error;
}

/**
 * True if the checkpoints' objects still exist. Does not check the recorded directory, because it may be missing only
 * temporarily.
 */
async function isUsable(directory: string, { commonDir }: RepositoryPaths): Promise<boolean> {
  const needed = join(commonDir ?? join(directory, "git"), "objects");
  return (await stat(needed).catch(() => undefined))?.isDirectory() ?? false;
}

/**
 * Returns the paths for the repository that contains the directory. If there is no repository, or it ignores the
 * directory or contains the home directory, returns the paths for the directory alone. Rejects with `workspace_failed` if
 * the directory does not exist, cannot be read, or contains the home directory itself.
 */
async function choose(cwd: string, { env }: CheckpointRepositoryOptions): Promise<RepositoryPaths> {
  const real = await realpath(cwd).catch((cause) => {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const message = isMissing
      ? missingDirectory(cwd)
      : `${cwd} cannot be read: ${sentence(reasonOf(cause))} Check its permissions.`;
    throw new HalyardError("workspace_failed", message, { cause });
  });
  const home = await realpath(homeIn(env)).catch(() => undefined);
  const containsHome = (directory: string) =>
    directory === dirname(directory) || (home !== undefined && contains(directory, home));
  const repository = await findRepository(real);
  const isUsed =
    repository !== undefined &&
    !containsHome(repository.root) && // not a repository for dotfiles, which does not track most of the user's files
    !(await isIgnored(repository, real, env));
  if (isUsed) return inRepository(repository, env);
  if (containsHome(real))
    throw new HalyardError(
      "workspace_failed",
      `The files in ${real} are not recorded, because it contains a home directory. Start the session in a project directory to use "halyard diff" and "halyard rewind".`,
    );
  return { root: real, format: "sha1" };
}

/**
 * Throws for Halyard's own home, because its database and checkpoints change during a checkpoint and must not change in
 * a rewind.
 */
async function refuseOwnHome(
  { root }: RepositoryPaths,
  { home }: CheckpointRepositoryOptions,
): Promise<void> {
  if (root !== (await realpath(home).catch(() => home))) return;
  throw new HalyardError(
    "workspace_failed",
    `The files in ${root} are not recorded, because Halyard stores its sessions there. Start the session in a project directory to use "halyard diff" and "halyard rewind".`,
  );
}

/** Returns the message for a working directory that was deleted. */
export function missingDirectory(path: string): string {
  return `The directory ${path} does not exist. Create it, and try again.`;
}

function contains(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way);
}

async function isIgnored(
  { root, gitDir }: Repository,
  cwd: string,
  env: Environment,
): Promise<boolean> {
  if (cwd === root) return false;
  const args = ["check-ignore", "-q", "--", `./${relative(root, cwd)}`];
  const { exitCode } = await runGit(args, {
    gitDir,
    workTree: root,
    env,
    isPrivate: true, // private, because no file is compared and therefore no filter runs
    exitCodes: [0, 1],
  });
  return exitCode === 0;
}

/**
 * Returns the paths for a repository. Stores objects in it only if this user owns it and can write to it. Objects of
 * another owner, such as root, would prevent the user from committing.
 */
async function inRepository(
  { root, gitDir, commonDir }: Repository,
  env: Environment,
): Promise<RepositoryPaths> {
  const objects = join(commonDir, "objects");
  const { uid } = await stat(objects);
  const isOurs = process.getuid === undefined || uid === process.getuid();
  const isWritable = await access(objects, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isOurs || !isWritable) return { root, gitDir, format: "sha1" };
  const args = ["rev-parse", "--show-object-format"];
  const format = await gitText(args, { gitDir, workTree: root, env, isPrivate: true });
  return { root, gitDir, commonDir, format };
}

/** Writes the git directory directly, because `git init` would need a process and copy templates. */
async function createGitDirectory(
  directory: string,
  record: RepositoryPaths,
  options: CheckpointRepositoryOptions,
): Promise<void> {
  const gitDir = join(directory, "git");
  for (const name of ["objects", "refs", "info"])
    await makeDirectory(join(gitDir, name), { mode: 0o700 });
  await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(gitDir, "config"), configOf(record));
  // Files are recorded byte by byte, without line-ending conversion, filters or keywords.
  const attributes = "* -text -eol -crlf -filter -ident -working-tree-encoding\n";
  await writeFile(join(gitDir, "info", "attributes"), attributes);
  await writeFile(join(gitDir, "info", "exclude"), await excludes(record, options));
}

function configOf({ format }: RepositoryPaths): string {
  const isMac = process.platform === "darwin";
  const ignoresCase = isMac || process.platform === "win32";
  return [
    "[core]",
    `\trepositoryformatversion = ${format === "sha1" ? 0 : 1}`,
    "\tbare = false",
    `\tfilemode = ${process.platform !== "win32"}`,
    ...(ignoresCase ? ["\tignorecase = true"] : []),
    ...(isMac ? ["\tprecomposeunicode = true"] : []),
    ...(format === "sha1" ? [] : ["[extensions]", `\tobjectformat = ${format}`]),
    "",
  ].join("\n");
}

/**
 * Returns the ignore rules that are in none of the tree's files. These are the rules in `info/exclude` of the user's
 * repository, and a rule for Halyard's home if the tree contains it.
 */
async function excludes(
  { root, gitDir, commonDir }: RepositoryPaths,
  { home }: CheckpointRepositoryOptions,
) {
  const shared = commonDir ?? gitDir;
  const rules = shared === undefined ? "" : await readRules(join(shared, "info", "exclude"));
  const real = await realpath(home).catch(() => home);
  const own = contains(root, real) ? `/${escapeRule(relative(root, real))}/\n` : "";
  return `${rules}\n${own}`;
}

const escapeRule = (path: string): string => path.replaceAll(/[\\*?[\]!# ]/g, "\\$&");

/** Reads at most 1 MB of a regular file. Checks the type, because an agent may have replaced the file with a pipe. */
async function readRules(path: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return "";
  try {
    if (!(await file.stat()).isFile()) return "";
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1_000_000) });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function checkpointRepositoryOf(
  id: SessionId,
  directory: string,
  { root, gitDir: userGitDir, commonDir, format }: RepositoryPaths,
  { env, excludesFile, now }: CheckpointRepositoryOptions,
): CheckpointRepository {
  const gitDir = join(directory, "git");
  const objects = join(commonDir ?? gitDir, "objects");
  const settings = excludesFile === undefined ? {} : { "core.excludesFile": excludesFile };
  const git = { gitDir, workTree: root, objects, isPrivate: true, env, settings } as const;
  const refs = commonDir ? new CheckpointRefs({ ...git, gitDir: commonDir }, id) : undefined;
  const paths = { objects, format };
  const limits = userGitDir === undefined ? limitsOutside : limitsInside;
  return { root, directory, git, objects: paths, now, refs, userGitDir, limits, known: {} };
}

const MB = 1024 * 1024;

/** The limits in a repository, in which `.gitignore` excludes most large files. */
const limitsInside: CheckpointLimits = {
  fileBytes: 50 * MB,
  totalBytes: 1024 * MB,
  files: 1_000_000,
  scanMs: 120_000,
  onExceeded: "skip",
};

const limitsOutside: CheckpointLimits = {
  fileBytes: 10 * MB,
  totalBytes: 256 * MB,
  files: 50_000,
  scanMs: 10_000,
  onExceeded: "fail",
};
