import { randomUUID } from "node:crypto";
import { link, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type BytePath, toRecords, toText } from "./byte-path.ts";
import { GitError, gitText, runGit } from "./git.ts";
import type { Place } from "./place.ts";
import { type Skipped, scan } from "./scan.ts";

/** The state of all files as a git tree. */
export interface Snapshot {
  readonly tree: string;
  readonly skipped: readonly Skipped[];
}

/** Options of `takeSnapshot`. */
export interface SnapshotOptions {
  /** The commit of the last checkpoint. Its tree replaces the index if the index is lost. */
  readonly after?: string | undefined;
  /** Paths to record although they are ignored. */
  readonly include?: readonly BytePath[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the present files to a tree. The index that remains in the directory of the workspace makes the next snapshot
 * fast: git reads only files whose size, time or inode changed.
 */
export async function takeSnapshot(place: Place, options: SnapshotOptions = {}): Promise<Snapshot> {
  const { include = [], signal } = options;
  const { known } = place;
  return withIndex(place, options, async (index) => {
    const git = { ...place.git, index, signal };
    const { update, forget, skipped } = await scan(place, { index, include, signal });
    const isSame = update.length === 0 && forget.length === 0;
    const refused = await updateIndex(update, forget, git);
    const tree = (isSame ? known.indexTree : undefined) ?? (await gitText(["write-tree"], git));
    known.indexTree = tree;
    const listed = new Set(skipped.map(({ path }) => path));
    return { tree, skipped: [...skipped, ...refused.filter(({ path }) => !listed.has(path))] };
  });
}

/**
 * Runs an action with a copy of the index, which replaces the index afterwards. The copy is a hard link, because git
 * compares the time of the index with the times of the files. Git never writes into an index: it replaces the file.
 */
export async function withIndex<T>(
  place: Place,
  { after, signal }: Pick<SnapshotOptions, "after" | "signal">,
  action: (index: string) => Promise<T>,
): Promise<T> {
  const { known } = place;
  const kept = join(place.directory, "index");
  const index = join(place.directory, `index.${randomUUID()}`);
  try {
    const isKept = await link(kept, index).then(
      () => true,
      () => false,
    );
    if ((await versionOf(index)) !== known.index) {
      delete known.indexTree; // lost, or written by another process
      delete known.userIndex;
    }
    if (!isKept && after !== undefined)
      await runGit(["read-tree", after], { ...place.git, index, signal });
    const result = await action(index);
    const version = await versionOf(index);
    await rename(index, kept).catch(ignoreMissing); // git writes no index if there are no files
    known.index = version;
    return result;
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

async function versionOf(index: string): Promise<string | undefined> {
  const found = await stat(index, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Deletes copies of the index that a process left when it was killed, if they are older than an hour. */
export async function removeStaleIndexes({ directory }: Place): Promise<void> {
  const copies = (await readdir(directory)).filter((name) => name.startsWith("index."));
  for (const name of copies) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    const age = found && (await stat(directory)).ctimeMs - found.ctimeMs; // a link keeps its other times
    if (age !== undefined && age > STALE_MS) await rm(join(directory, name), { force: true });
  }
}

const STALE_MS = 3_600_000;

type IndexOptions = Place["git"] & { readonly index: string };

/** Returns the files that git refused. A file that fails is left out, and the others are tried again. */
async function updateIndex(
  update: readonly BytePath[],
  forget: readonly BytePath[],
  git: IndexOptions,
): Promise<Skipped[]> {
  if (forget.length > 0)
    await runGit(["update-index", "--force-remove", "-z", "--stdin"], {
      ...git,
      input: toRecords(forget),
    });
  const failed: Skipped[] = [];
  let rest = update;
  while (rest.length > 0) {
    try {
      const input = toRecords(rest);
      const args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
      const { stderr } = await runGit(args, { ...git, input });
      const refused = pathsIn(/^Ignoring path (.+)$/gm, stderr, rest);
      return [...failed, ...refused.map((path) => ({ path, reason: "name" as const }))];
    } catch (error) {
      if (!(error instanceof GitError) || failed.length >= MAX_FAILED) throw error;
      const [path] = pathsIn(/Unable to process path ([\s\S]+?)\s*$/g, error.stderr, rest);
      if (path === undefined) throw error;
      failed.push({ path, reason: "unreadable" });
      rest = rest.filter((one) => one !== path);
    }
  }
  return failed;
}

/** Each failure costs a process that reads all files again. */
const MAX_FAILED = 20;

function pathsIn(pattern: RegExp, stderr: string, paths: readonly BytePath[]): BytePath[] {
  const named = new Set([...stderr.matchAll(pattern)].map(([, path]) => path));
  return named.size === 0 ? [] : paths.filter((path) => named.has(toText(path)));
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
