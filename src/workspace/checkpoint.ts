import type { CheckpointOptions } from "../contracts/workspace.ts";
import type { Checkpoint } from "../schema/workspace/checkpoint.ts";
import type { BytePath } from "./byte-path.ts";
import { countChanges } from "./changes.ts";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { GitError, runGit } from "./git/git.ts";
import { forgetPrivateIndex, withPrivateIndex } from "./private-index.ts";
import { describeSkipped, type Skipped } from "./scan.ts";
import { emptySnapshot, isEmpty, type Snapshot, takeSnapshotAt } from "./snapshot.ts";

/** A checkpoint, and all files that it skipped. `skipped` lists at most 100 of them. */
export interface TakenCheckpoint extends Checkpoint {
  readonly allSkipped: readonly Skipped[];
}

/** Options for `takeCheckpoint`. */
export interface TakeOptions extends CheckpointOptions {
  /** Paths to record although they are ignored. */
  readonly include?: readonly BytePath[] | undefined;
  /** True to always update Halyard's private index, for a command that needs it. Defaults to false. */
  readonly needsIndex?: boolean | undefined;
}

/**
 * Records the workspace's files in a commit. In the user's repository, adds only the commit's objects and the ref that
 * protects them. Returns the `after` commit again if it has the same files and skipped the same files.
 */
export async function takeCheckpoint(
  repository: CheckpointRepository,
  options: TakeOptions,
): Promise<TakenCheckpoint> {
  try {
    return await attempt(repository, options);
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== "failed") throw error;
    // The private index may refer to objects that `git gc` deleted before a ref referred to them.
    await forgetPrivateIndex(repository);
    return attempt(repository, { ...options, after: await existing(repository, options.after) });
  }
}

async function attempt(
  repository: CheckpointRepository,
  options: TakeOptions,
): Promise<TakenCheckpoint> {
  repository.refs?.prepare();
  if (!options.needsIndex && (await isEmpty(repository)))
    return record(repository, options, emptySnapshot(repository));
  return withPrivateIndex(repository, options, async (index) => {
    const snapshot = await takeSnapshotAt(repository, index, options);
    return record(repository, options, snapshot);
  });
}

async function record(
  repository: CheckpointRepository,
  { after, signal }: TakeOptions,
  { tree, skipped, counts, objects }: Snapshot,
): Promise<TakenCheckpoint> {
  const message = messageOf(skipped);
  if (after !== undefined && (await isSame(repository, after, { tree, message })))
    return describe(after, noChanges, skipped);
  const seconds = Math.floor(repository.now().getTime() / 1000);
  const by = `Halyard <halyard@localhost> ${seconds} +0000`;
  const content = `tree ${tree}\nauthor ${by}\ncommitter ${by}\n\n${message}`;
  const commit = objects.write("commit", content);
  const count = async () =>
    after === undefined ? noChanges : countChanges(repository, after, tree, signal);
  const keep = async () => {
    await objects.flush();
    await repository.refs?.add(commit, signal);
  };
  const [counted] = await Promise.all([counts ?? count(), keep()]);
  repository.known.checkpoint = { commit, tree, message };
  return describe(commit, counted, skipped);
}

/** Returns the commit if all its objects exist, otherwise undefined. */
async function existing(
  { git }: CheckpointRepository,
  commit: string | undefined,
): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const args = ["rev-list", "--quiet", "--objects", commit];
  return runGit(args, git).then(
    () => commit,
    (error) => {
      if (error instanceof GitError && error.reason === "failed") return undefined;
      throw error;
    },
  );
}

const noChanges = { files: 0, insertions: 0, deletions: 0 };

function describe(
  commit: string,
  counts: typeof noChanges,
  allSkipped: readonly Skipped[],
): TakenCheckpoint {
  const skipped = allSkipped.slice(0, LISTED).map(describeSkipped);
  const total = allSkipped.length;
  const skippedTotal = total > LISTED ? { skippedTotal: total } : {};
  return { commit, ...counts, skipped, ...skippedTotal, allSkipped };
}

const LISTED = 100;

/** Returns the commit message. It lists the skipped files, so that a restore does not change them. */
function messageOf(skipped: readonly Skipped[]): string {
  const listed = [...skipped].sort((a, b) => (a.path < b.path ? -1 : 1));
  return `${TITLE}\n\n${JSON.stringify(listed.map(({ path, reason }) => [path, reason]))}\n`;
}

const TITLE = "Checkpoint of Halyard";

async function isSame(
  { git, known }: CheckpointRepository,
  commit: string,
  expected: { readonly tree: string; readonly message: string },
): Promise<boolean> {
  if (known.checkpoint?.commit !== commit) {
    const read = await readCommit(git, commit);
    if (read === undefined) return false;
    known.checkpoint = { commit, ...read };
  }
  const found = known.checkpoint;
  return found.tree === expected.tree && found.message === expected.message;
}

async function readCommit(
  git: CheckpointRepository["git"],
  commit: string,
): Promise<{ tree: string; message: string } | undefined> {
  const result = await runGit(["cat-file", "commit", commit], git).catch((error) => {
    if (error instanceof GitError && error.reason === "failed") return undefined;
    throw error;
  });
  if (result === undefined) return undefined;
  const text = result.stdout.toString("utf8");
  const end = text.indexOf("\n\n");
  const tree = /^tree ([0-9a-f]+)$/m.exec(text.slice(0, end))?.[1];
  return tree === undefined ? undefined : { tree, message: text.slice(end + 2) };
}

/**
 * Returns the paths that a checkpoint skipped. Returns undefined if the commit is not a checkpoint or does not exist.
 */
export async function skippedIn(
  { git }: CheckpointRepository,
  commit: string,
): Promise<BytePath[] | undefined> {
  const found = await readCommit(git, commit);
  if (found === undefined || !found.message.startsWith(`${TITLE}\n`)) return undefined;
  const listed: unknown = JSON.parse(found.message.slice(TITLE.length));
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((entry) => (Array.isArray(entry) ? [String(entry[0])] : []));
}
