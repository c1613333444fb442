import { access, constants, lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import { HalyardError } from "../errors/error.ts";
import type { SkippedFile } from "../schema/workspace/checkpoint.ts";
import { type BytePath, locate, recordsOf, toText } from "./byte-path.ts";
import { runGit } from "./git.ts";
import type { Place } from "./place.ts";

/** A skipped file with its exact path. */
export interface Skipped {
  readonly path: BytePath;
  readonly reason: SkippedFile["reason"];
}

/** The differences between an index and the files. */
export interface Scan {
  /** Paths to add, to update, or to remove because they no longer exist. */
  readonly update: readonly BytePath[];
  /** Paths to remove from the index although they exist. */
  readonly forget: readonly BytePath[];
  readonly skipped: readonly Skipped[];
}

/** Options of `scan`. */
export interface ScanOptions {
  /** The index that the files are compared with. */
  readonly index: string;
  /** Paths to record although they are ignored. */
  readonly include: readonly BytePath[];
  readonly signal: AbortSignal | undefined;
}

/** Compares the files with an index. Ignored files are left out, unless the user's repository tracks them. */
export async function scan(place: Place, options: ScanOptions): Promise<Scan> {
  const listed = await list(place, options);
  const update: BytePath[] = [];
  const forget: BytePath[] = [];
  const skipped: Skipped[] = [];
  const { limits } = place;
  let bytes = 0;
  const links = new Map<BytePath, Promise<boolean>>();
  const paths = [...listed.keys()];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    options.signal?.throwIfAborted();
    const batch = paths.slice(at, at + AT_ONCE);
    const found = await Promise.all(batch.map((path) => examine(place, path, links)));
    for (const { path, size, action, reason } of found) {
      bytes += size;
      const isFull = size > 0 && (bytes > limits.totalBytes || update.length >= limits.files);
      if (isFull && limits.onExceeded === "fail") throw tooLarge(place);
      const why = isFull ? "limit" : reason;
      if (why !== undefined) skipped.push({ path, reason: why });
      if (action === "update" && !isFull) update.push(path);
      else if (listed.get(path)) forget.push(path);
    }
  }
  return { update, forget, skipped };
}

/** How many files are examined at the same time. */
const AT_ONCE = 64;

/** Returns the paths that differ, and whether the index contains them. */
async function list(
  place: Place,
  { index, include, signal }: ScanOptions,
): Promise<Map<BytePath, boolean>> {
  const which = ["--others", "--modified", "--deleted", "--exclude-standard"];
  const [{ stdout }, tracked] = await Promise.all([
    runGit(["ls-files", "-z", "-t", ...which], {
      ...place.git,
      index,
      signal,
      timeoutMs: place.limits.scanMs,
    }),
    trackedAndIgnored(place, signal),
  ]);
  const listed = new Map([...tracked, ...include].map((path) => [path, false]));
  for (const record of recordsOf(stdout)) listed.set(record.slice(2), !record.startsWith("?"));
  return listed;
}

/** Lists files that the user's repository tracks although they are ignored. */
async function trackedAndIgnored(
  { git, root, userGitDir, known }: Place,
  signal: AbortSignal | undefined,
): Promise<BytePath[]> {
  if (userGitDir === undefined) return [];
  const index = await stat(join(userGitDir, "index")).catch(() => undefined);
  if (!index?.isFile()) return [];
  const version = `${index.ino} ${index.size} ${index.mtimeMs}`;
  if (version === known.userIndex) return []; // recorded before, and compared like all other files since
  const { env, settings } = git;
  const { stdout } = await runGit(["ls-files", "-z", "-c", "-i", "--exclude-standard"], {
    gitDir: userGitDir,
    workTree: root,
    env,
    settings,
    isPrivate: true, // nothing is compared, so that no filter runs
    signal,
  });
  known.userIndex = version;
  return recordsOf(stdout);
}

interface Examined {
  readonly path: BytePath;
  /** The size that counts toward the limit. */
  readonly size: number;
  readonly action: "update" | "forget";
  readonly reason?: Skipped["reason"];
}

async function examine(
  { root, limits }: Place,
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
      : { path, size: 0, action: "forget" }; // a directory replaced a file; its files are listed too
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

/** True if a link replaced a directory above the path. Git refuses to look beyond a link. */
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

function tooLarge({ root, limits }: Place): HalyardError {
  const megabytes = Math.round(limits.totalBytes / 1024 / 1024);
  return new HalyardError(
    "workspace_failed",
    `The files of ${root} are not recorded: more than ${megabytes} MB or ${limits.files} files. Start the session in a git repository or in a smaller directory, or list large directories in .gitignore.`,
  );
}

/** Returns a skipped file for events, with its path as text. */
export function describeSkipped({ path, reason }: Skipped): SkippedFile {
  return { path: toText(path), reason };
}
