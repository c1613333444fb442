import { opendir } from "node:fs/promises";
import { type BytePath, toRecords, toText } from "./byte-path.ts";
import { type ChangeCounts, compareIndex, type RawChange } from "./changes.ts";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { GitError, gitText, runGit } from "./git/git.ts";
import { type PrivateIndexOptions, withPrivateIndexCopy } from "./private-index.ts";
import { type Scan, type Skipped, scan } from "./scan.ts";
import { readDirectories, type TreeChange, writeChangedTree } from "./tree/changed-tree.ts";
import { writeFewChanges } from "./tree/few-changes.ts";
import { ObjectWriter } from "./tree/objects.ts";

/** The state of all files, as a git tree. */
export interface Snapshot {
  readonly tree: string;
  readonly skipped: readonly Skipped[];
  /** The changes since the last checkpoint, if they were counted. */
  readonly counts?: ChangeCounts | undefined;
  /** The writer for the new objects. It must be flushed before a ref names them. */
  readonly objects: ObjectWriter;
}

/** Options for `takeSnapshot`. */
export interface SnapshotOptions extends PrivateIndexOptions {
  /** Paths to record although they are ignored. */
  readonly include?: readonly BytePath[] | undefined;
  /** True to always update Halyard's private index, for a command that needs it. Defaults to false. */
  readonly needsIndex?: boolean | undefined;
}

/** Writes the current files to a tree that no ref protects, and returns the hash of the tree. */
export async function takeSnapshot(
  repository: CheckpointRepository,
  options: SnapshotOptions = {},
): Promise<string> {
  if (await isEmpty(repository)) return emptySnapshot(repository).tree;
  const take = async (index: string, copy: CheckpointRepository) => {
    const { tree, objects } = await takeSnapshotAt(copy, index, options);
    await objects.flush();
    return tree;
  };
  return withPrivateIndexCopy(repository, options, take);
}

/** True if the directory contains nothing except `.git`, so that no git process is necessary. */
export async function isEmpty({ root }: CheckpointRepository): Promise<boolean> {
  for await (const { name } of await opendir(root)) if (name !== ".git") return false;
  return true;
}

/** Returns the snapshot of an empty directory. */
export function emptySnapshot({ objects: paths, now }: CheckpointRepository): Snapshot {
  const objects = new ObjectWriter(paths, now);
  return { tree: objects.write("tree", ""), skipped: [], objects };
}

/**
 * Writes the current files to a tree. The index makes this fast, because git reads only files whose size, time or inode
 * differ from the index.
 */
export async function takeSnapshotAt(
  repository: CheckpointRepository,
  index: string,
  options: SnapshotOptions,
): Promise<Snapshot> {
  const { known, now } = repository;
  const { include = [], needsIndex = false, signal } = options;
  const found = await scan(repository, { index, include, signal });
  const { update, forget, skipped } = found;
  const objects = new ObjectWriter(repository.objects, now);
  const isSame = update.length === 0 && forget.length === 0;
  const quick =
    needsIndex || isSame ? undefined : await writeFewChanges(repository, found, objects);
  if (quick !== undefined) {
    known.unindexed = found.added;
    return { tree: quick, skipped, objects };
  }
  const { refused, ...written } = isSame
    ? { tree: known.indexTree, counts: undefined, refused: [] }
    : await writeChanges(repository, index, found, options, objects);
  const tree =
    written.tree ?? (await gitText(["write-tree"], { ...repository.git, index, signal }));
  known.indexTree = tree;
  known.unindexed = undefined;
  const listed = new Set(skipped.map(({ path }) => path));
  const more = refused.filter(({ path }) => !listed.has(path));
  return { tree, skipped: [...skipped, ...more], counts: written.counts, objects };
}

/**
 * Updates the index. Returns the files that git rejected, the number of changes since `after`, and the tree. Omits the
 * tree if many directories changed. Without `after`, returns only the rejected files.
 */
async function writeChanges(
  repository: CheckpointRepository,
  index: string,
  { update, forget }: Scan,
  { after, signal }: SnapshotOptions,
  objects: ObjectWriter,
) {
  const git = { ...repository.git, index, signal };
  const [refused, directories] = await Promise.all([
    updateIndex(update, forget, git),
    after === undefined ? undefined : readDirectories(after, [...update, ...forget], git),
  ]);
  const changes = after === undefined ? undefined : await compareIndex(after, git);
  const tree =
    changes && directories && writeChangedTree(directories, treeChanges(changes.raw), objects);
  return { tree, counts: changes?.counts, refused };
}

function treeChanges(changes: readonly RawChange[]): TreeChange[] {
  return changes.flatMap(({ path, from, status, newMode: mode, newHash: hash }): TreeChange[] => [
    ...(from === undefined ? [] : [[from, undefined] as const]),
    [path, status === "deleted" ? undefined : { mode, hash }],
  ]);
}

type IndexGit = CheckpointRepository["git"] & { readonly index: string };

/**
 * Updates the index, and returns the files that git rejected. If git fails on a file, excludes the file and tries the
 * others again.
 */
async function updateIndex(
  update: readonly BytePath[],
  forget: readonly BytePath[],
  git: IndexGit,
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

/** The maximum number of failures, because each failure costs a process that reads all files again. */
const MAX_FAILED = 20;

function pathsIn(pattern: RegExp, stderr: string, paths: readonly BytePath[]): BytePath[] {
  const named = new Set([...stderr.matchAll(pattern)].map(([, path]) => path));
  return named.size === 0 ? [] : paths.filter((path) => named.has(toText(path)));
}
