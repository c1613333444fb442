import { randomUUID } from "node:crypto";
import { link, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { runGit } from "./git/git.ts";

/** Options for `withPrivateIndex`. */
export interface PrivateIndexOptions {
  /** The last checkpoint's commit. Its tree is read into the copy if the private index is lost or has changed. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs an action with a copy of Halyard's private index. The copy replaces the private index if the action succeeds.
 * The user's index is not involved. The private index refers only to objects that a ref protects, so that `git gc`
 * cannot invalidate it. The copy is a hard link, because git compares the index's time with the files' times. Writing
 * through the link is not possible, because git replaces an index file instead of modifying it.
 */
export async function withPrivateIndex<T>(
  repository: CheckpointRepository,
  options: PrivateIndexOptions,
  action: (index: string) => Promise<T>,
): Promise<T> {
  const { known } = repository;
  const { unindexed } = known;
  try {
    return await withCopy(repository, options, async (index) => {
      const result = await action(index);
      const version = await versionOf(index);
      // fails if there are no files, because git then writes no index
      await rename(index, privateIndex(repository)).catch(ignoreMissing);
      known.index = version;
      return result;
    });
  } catch (error) {
    delete known.indexTree; // the action may have set these fields for the copy
    delete known.userIndex;
    known.unindexed = unindexed;
    throw error;
  }
}

/** Runs an action with a copy of Halyard's private index, and deletes the copy afterward. */
export function withPrivateIndexCopy<T>(
  repository: CheckpointRepository,
  options: PrivateIndexOptions,
  action: (index: string, copy: CheckpointRepository) => Promise<T>,
): Promise<T> {
  const copy = { ...repository, known: { ...repository.known } };
  return withCopy(copy, options, (index) => action(index, copy));
}

async function withCopy<T>(
  repository: CheckpointRepository,
  { after, signal }: PrivateIndexOptions,
  action: (index: string) => Promise<T>,
): Promise<T> {
  const { known } = repository;
  const index = join(repository.directory, `index.${randomUUID()}`);
  try {
    const hasCopy = await link(privateIndex(repository), index).then(
      () => true,
      () => false,
    );
    if (!hasCopy || (await versionOf(index)) !== known.index) {
      delete known.indexTree; // the private index was lost or written by another process
      delete known.userIndex;
      delete known.unindexed;
      // `-m` keeps the times of files that are the same in the index and the tree; `-i` accepts files that have changed
      const how = hasCopy ? ["-i", "-m"] : [];
      if (after !== undefined)
        await runGit(["read-tree", ...how, after], { ...repository.git, index, signal });
    }
    return await action(index);
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

/** Deletes Halyard's private index, so that the next checkpoint reads all files. */
export async function forgetPrivateIndex(repository: CheckpointRepository): Promise<void> {
  await rm(privateIndex(repository), { force: true });
}

const privateIndex = ({ directory }: CheckpointRepository): string => join(directory, "index");

async function versionOf(index: string): Promise<string | undefined> {
  const found = await stat(index, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Deletes copies of the private index that a killed process left, if they are older than an hour. */
export async function removeStaleIndexCopies({ directory }: CheckpointRepository): Promise<void> {
  const copies = (await readdir(directory)).filter((name) => name.startsWith("index."));
  for (const name of copies) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    // `ctime`, because a link keeps its other times
    const age = found && (await stat(directory)).ctimeMs - found.ctimeMs;
    if (age !== undefined && age > STALE_MS) await rm(join(directory, name), { force: true });
  }
}

const STALE_MS = 3_600_000;

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
