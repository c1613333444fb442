import { constants } from "node:fs";
import { open, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { makeDirectory } from "../files/make-directory.ts";
import { writeFileAtomically } from "../files/write-file-atomically.ts";
import { type Environment, homeIn } from "../programs/environment.ts";
import type { SessionId } from "../schema/id.ts";
import { CheckpointRefs } from "./checkpoint-refs.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import { GitError, gitText, runGit } from "./git.ts";
import type { CheckpointLimits, Place } from "./place.ts";
import { type PlaceRecord, readPlaceRecord } from "./place-record.ts";

/** What a workspace needs from its Halyard. */
export interface PlaceOptions {
  /** The directory of Halyard. Its files are never recorded. */
  readonly home: string;
  readonly env: Environment;
  /** The file with the ignore rules of the user, if there is one. */
  readonly excludesFile: string | undefined;
}

/** Returns the directory in which a session keeps its index and its private git directory. No agent can write it. */
function directoryOf(home: string, id: SessionId): string {
  return join(home, "workspaces", id);
}

/** Opens the place of a session, and creates it if it does not exist. */
export async function openPlace(id: SessionId, cwd: string, options: PlaceOptions): Promise<Place> {
  const directory = directoryOf(options.home, id);
  const known = await readPlaceRecord(directory);
  if (known !== undefined && (await isUsable(known))) return placeOf(id, directory, known, options);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const record = await choose(cwd, options);
  await createGitDirectory(directory, record, options);
  await writeFileAtomically(join(directory, "place.json"), JSON.stringify(record));
  return placeOf(id, directory, record, options);
}

/** Deletes the checkpoints of a session. */
export async function removePlace(id: SessionId, options: PlaceOptions): Promise<void> {
  const directory = directoryOf(options.home, id);
  const record = await readPlaceRecord(directory);
  if (record?.commonDir !== undefined && (await isUsable(record)))
    await placeOf(id, directory, record, options).refs.removeAll().catch(ignoreMissingGit);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** A session can be removed after git was. Its refs then remain. */
function ignoreMissingGit(error: unknown): void {
  if (!(error instanceof GitError && error.reason === "missing")) throw error;
}

async function isUsable({ root, commonDir }: PlaceRecord): Promise<boolean> {
  const needed = commonDir === undefined ? root : join(commonDir, "objects");
  return (await stat(needed).catch(() => undefined))?.isDirectory() ?? false;
}

/** Chooses the repository that contains the directory, unless it ignores the directory; otherwise the directory. */
async function choose(cwd: string, { env }: PlaceOptions): Promise<PlaceRecord> {
  const real = await realpath(cwd).catch((cause) => {
    throw new HalyardError("workspace_failed", `${cwd} cannot be read: ${reasonOf(cause)}`, {
      cause,
    });
  });
  const repository = await findRepository(real);
  if (repository !== undefined && !(await isIgnored(repository, real, env)))
    return inRepository(repository, env);
  const home = await realpath(homeIn(env)).catch(() => undefined);
  if (real === dirname(real) || (home !== undefined && contains(real, home)))
    throw new HalyardError(
      "workspace_failed",
      `The files of ${real} are not recorded, because it is not a git repository and contains a home directory. Start the session in the directory of a project to use "halyard diff" and "halyard rewind".`,
    );
  return { root: real, format: "sha1" };
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
    isPrivate: true, // no file is compared, so that no filter runs
    exitCodes: [0, 1],
  });
  return exitCode === 0;
}

/**
 * The objects go into the user's repository only if this user owns it. Objects of another owner, such as root, would
 * stop the user from committing.
 */
async function inRepository(
  { root, gitDir, commonDir }: Repository,
  env: Environment,
): Promise<PlaceRecord> {
  const { uid } = await stat(join(commonDir, "objects"));
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (!isOurs) return { root, gitDir, format: "sha1" };
  const args = ["rev-parse", "--show-object-format"];
  const format = await gitText(args, { gitDir, workTree: root, env, isPrivate: true });
  return { root, gitDir, commonDir, format };
}

/** Writes the git directory directly: `git init` would need a process and copy templates. */
async function createGitDirectory(
  directory: string,
  record: PlaceRecord,
  options: PlaceOptions,
): Promise<void> {
  const gitDir = join(directory, "git");
  for (const name of ["objects", "refs", "info"])
    await makeDirectory(join(gitDir, name), { mode: 0o700 });
  await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(gitDir, "config"), configOf(record));
  // Files are recorded byte by byte: no conversion of line ends, no filter, no keyword.
  const attributes = "* -text -eol -crlf -filter -ident -working-tree-encoding\n";
  await writeFile(join(gitDir, "info", "attributes"), attributes);
  await writeFile(join(gitDir, "info", "exclude"), await excludes(record, options));
}

function configOf({ format }: PlaceRecord): string {
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

/** The rules of the user's repository that are in no file of the tree, and Halyard's own directory. */
async function excludes({ root, gitDir, commonDir }: PlaceRecord, { home }: PlaceOptions) {
  const shared = commonDir ?? gitDir;
  const rules = shared === undefined ? "" : await readRules(join(shared, "info", "exclude"));
  const real = await realpath(home).catch(() => home);
  const own = contains(root, real) ? `/${escapeRule(relative(root, real))}/\n` : "";
  return `${rules}\n${own}`;
}

const escapeRule = (path: string): string => path.replaceAll(/[\\*?[\]!# ]/g, "\\$&");

/** Reads at most 1 MB of a regular file. An agent may have replaced it with a pipe. */
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

function placeOf(
  id: SessionId,
  directory: string,
  { root, gitDir: userGitDir, commonDir }: PlaceRecord,
  { env, excludesFile }: PlaceOptions,
): Place {
  const gitDir = join(directory, "git");
  const objects = join(commonDir ?? gitDir, "objects");
  const settings = excludesFile === undefined ? {} : { "core.excludesFile": excludesFile };
  const git = { gitDir, workTree: root, objects, isPrivate: true, env, settings } as const;
  const refs = new CheckpointRefs({ ...git, gitDir: commonDir ?? gitDir }, id);
  const limits = userGitDir === undefined ? limitsOutside : limitsInside;
  return { root, directory, git, refs, userGitDir, limits, known: {} };
}

const MB = 1024 * 1024;

/** In a repository, `.gitignore` excludes most large files. */
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
