import { access, constants, lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import { HalyardError } from "../errors/error.ts";
import type { SkippedFile } from "../schema/workspace/checkpoint.ts";
import { type BytePath, locate, recordsOf, toText } from "./byte-path.ts";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { type GitOptions, runGit } from "./git/git.ts";

/** A skipped file with its exact path. */
export interface Skipped {
  readonly path: BytePath;
  readonly reason: SkippedFile["reason"];
}

/** The differences between an index and the files. */
export interface Scan {
  /** Paths to add or update, or to remove because they no longer exist. */
  readonly update: readonly BytePath[];
  /** Paths to remove from the index although they exist. */
  readonly forget: readonly BytePath[];
  readonly skipped: readonly Skipped[];
  /** The paths to update that the index does not contain. */
  readonly added: readonly BytePath[];
  /** True if the next scan finds all paths again as long as the index does not change. */
  readonly areKeptListed: boolean;
}

/** Options for `scan`. */
export interface ScanOptions {
  /** The index with which the files are compared. */
  readonly index: string;
  /** Paths to record although they are ignored. */
  readonly include: readonly BytePath[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Compares the files with an index. Excludes ignored files, unless the user's repository tracks them or `include` lists
 * them. Rejects with `workspace_failed` if the files exceed a limit and the repository's `onExceeded` is `fail`.
 */
export async function scan(repository: CheckpointRepository, options: ScanOptions): Promise<Scan> {
  const { listed, areKeptListed } = await list(repository, options);
  const update: BytePath[] = [];
  const forget: BytePath[] = [];
  const skipped: Skipped[] = [];
  const { limits } = repository;
  let bytes = 0;
  const links = new Map<BytePath, Promise<boolean>>();
  const paths = [...listed.keys()];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    options.signal?.throwIfAborted();
    const batch = paths.slice(at, at + AT_ONCE);
    const found = await Promise.all(batch.map((path) => examine(repository, path, links)));
    for (const { path, size, action, reason } of found) {
      bytes += size;
      const isFull = size > 0 && (bytes > limits.totalBytes || update.length >= limits.files);
      if (isFull && limits.onExceeded === "fail") throw tooLarge(repository);
      const why = isFull ? "limit" : reason;
      if (why !== undefined) skipped.push({ path, reason: why });
      if (action === "update" && !isFull) update.push(path);
      else if (listed.get(path)) forget.push(path);
    }
  }
  const added = update.filter((path) => !listed.get(path));
  return { update, forget, skipped, added, areKeptListed };
}

/** The number of files that are examined at the same time. */
const AT_ONCE = 64;

interface Listed {
  /** The paths that differ, and whether the index contains them. */
  readonly listed: ReadonlyMap<BytePath, boolean>;
  readonly areKeptListed: boolean;
}

async function list(
  repository: CheckpointRepository,
  { index, include, signal }: ScanOptions,
): Promise<Listed> {
  const timeoutMs = repository.limits.scanMs;
  const git = { ...repository.git, index, signal, timeoutMs };
  const [others, known, tracked] = await Promise.all([
    runGit(["ls-files", "-z", "--others", "--exclude-standard"], git),
    listKnown(git),
    trackedAndIgnored(repository, signal),
  ]);
  const kept = repository.known.unindexed ?? [];
  const outside = [...tracked, ...include, ...kept, ...recordsOf(others.stdout)];
  const listed = new Map([...outside.map((path) => [path, false] as const), ...known]);
  return { listed, areKeptListed: tracked.length === 0 && include.length === 0 };
}

/** Returns the paths in the index whose files differ. Reads their states with several threads, as `git status` does. */
async function listKnown(git: GitOptions & { readonly index: string }) {
  if (!(await stat(git.index).catch(() => undefined))) return []; // there is no index before the first checkpoint
  const args = ["diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=dirty"];
  const paths = recordsOf((await runGit(args, git)).stdout);
  return paths.map((path) => [path, true] as const);
}

/**
 * Lists files that the user's repository tracks although they are ignored. Returns an empty list if the user's index has
 * not changed since they were last listed.
 */
async function trackedAndIgnored(
  { git, root, userGitDir, known }: CheckpointRepository,
  signal: AbortSignal | undefined,
): Promise<BytePath[]> {
  if (userGitDir === undefined) return [];
  const index = await stat(join(userGitDir, "index")).catch(() => undefined);
  if (!index?.isFile()) return [];
  const version = `${index.ino} ${index.size} ${index.mtimeMs}`;
  if (version === known.userIndex) return []; // the private index already contains these files
  const { env, settings } = git;
  const { stdout } = await runGit(["ls-files", "-z", "-c", "-i", "--exclude-standard"], {
    gitDir: userGitDir,
    workTree: root,
    env,
    settings,
    isPrivate: true, // private, because no file is compared and therefore no filter runs
    signal,
  });
  known.userIndex = version;
  return recordsOf(stdout);
}

interface Examined {
  readonly path: BytePath;
  /**
   * The number of bytes that count toward `totalBytes`. A path of size 0, such as a link, is recorded even if a limit
   * is reached.
   */
  readonly size: number;
  readonly action: "update" | "forget";
  readonly reason?: Skipped["reason"];
}

async function examine(
  { root, limits }: CheckpointRepository,
  listed: BytePath,
  links: Map<BytePath, Promise<boolean>>,
): Promise<Examined> {
  const path = listed.replace(/\/$/, ""); // git lists a nested repository as a directory
  if (await isBeyondLink(root, path, links)) return { path, size: 0, action: "forget" };
  const file = locate(root, path);
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || found.isSymbolicLink()) return { path, size: 0, action: "update" };
  if (found.isDirectory()) {
    const isRepository = await lstat(locate(root, `${path}/.git`)).then(
      () => true,
      () => false,
    );
    return isRepository
      ? { path, size: 0, action: "update", reason: "repository" }
      : { path, size: 0, action: "forget" }; // a directory replaced the file; its files are listed separately
  }
  if (!found.isFile()) return { path, size: 0, action: "forget", reason: "special" };
  if (found.size > limits.fileBytes)
    return { path, size: 0, action: "forget", reason: "too_large" };
  const isOwn = found.uid === process.geteuid?.() && (found.mode & constants.S_IRUSR) !== 0;
  const isReadable =
    isOwn ||
    (await access(file, constants.R_OK).then(
      () => true,
      () => false,
    ));
  if (!isReadable) return { path, size: 0, action: "forget", reason: "unreadable" };
  return { path, size: Math.max(1, found.size), action: "update" };
}

/** True if a link replaced a directory above the path. Git does not follow such a link. */
async function isBeyondLink(
  root: string,
  path: BytePath,
  links: Map<BytePath, Promise<boolean>>,
): Promise<boolean> {
  const end = path.lastIndexOf("/");
  if (end === -1) return false;
  const parent = path.slice(0, end);
  const known = links.get(parent);
  if (known !== undefined) return known;
  const found = lstat(locate(root, parent)).then(
    (stats) => stats.isSymbolicLink() || isBeyondLink(root, parent, links),
    () => isBeyondLink(root, parent, links),
  );
  links.set(parent, found);
  return found;
}

function tooLarge({ root, limits }: CheckpointRepository): HalyardError {
  const megabytes = Math.round(limits.totalBytes / 1024 / 1024);
  return new HalyardError(
    "workspace_failed",
    `Cannot record the files in ${root}: they exceed the limit of ${megabytes} MiB or ${limits.files} files. Start the session in a git repository or in a smaller directory, or list large directories in .gitignore.`,
  );
}

/** Returns a skipped file for events, with its path as text. */
export function describeSkipped({ path, reason }: Skipped): SkippedFile {
  return { path: toText(path), reason };
}
