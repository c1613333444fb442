import { constants } from "node:fs";
import { lstat, mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RestoreOptions } from "../contracts/workspace.ts";
import { HalyardError } from "../errors/error.ts";
import type { Checkpoint, Rewound } from "../schema/workspace/checkpoint.ts";
import { type BytePath, locate, recordsOf, toRecords, toText } from "./byte-path.ts";
import { countChanges, type RawChange, rawChanges } from "./changes.ts";
import { skippedIn, type TakenCheckpoint, takeCheckpoint } from "./checkpoint.ts";
import { GitError, gitText, runGit } from "./git.ts";
import type { Place } from "./place.ts";
import { withIndex } from "./snapshot.ts";

/**
 * Makes the files those of a checkpoint, after a checkpoint of the present files. Ignored and skipped files and nested
 * repositories are left alone. Git replaces a link instead of writing through it, and refuses to start if a file that
 * it would change is not the recorded one.
 */
export async function restoreCheckpoint(
  place: Place,
  commit: string,
  options: RestoreOptions,
): Promise<Rewound> {
  const { signal, onBefore } = options;
  const skipped = await skippedIn(place, commit);
  if (skipped === undefined) throw missing(commit);
  const before = await checkpointBefore(place, commit, options);
  await onBefore(describe(before));
  const changed = await rawChanges(place, before.commit, commit, signal);
  const left = new Set([...skipped, ...before.allSkipped.map(({ path }) => path)]);
  const ignored = await ignoredBy(place, commit, changed, signal);
  const kept = changed.filter(
    ({ path, oldMode, newMode, status }) =>
      left.has(path) ||
      oldMode === REPOSITORY ||
      newMode === REPOSITORY ||
      (status === "deleted" && ignored.has(path)),
  );
  const tree = await treeWith(place, commit, kept, signal);
  const applied = changed.filter((change) => !kept.includes(change));
  const modes = await modesOf(place, applied);
  await withIndex(place, { after: before.commit, signal }, async (index) => {
    const git = { ...place.git, index };
    await runGit(["update-index", "-q", "--refresh"], { ...git, exitCodes: [0, 1] });
    delete place.known.indexTree;
    await runGit(["read-tree", "-m", "-u", before.commit, tree], git);
  }).catch((error) => {
    throw refused(place, error);
  });
  await restoreModes(place, modes);
  const { allSkipped: _, ...after } = await takeCheckpoint(place, { after: before.commit });
  const counts = await countChanges(place, before.commit, after.commit, undefined);
  const names = kept.map(({ path }) => toText(path)).slice(0, LISTED);
  return { to: commit, before: before.commit, commit: after.commit, ...counts, kept: names };
}

const REPOSITORY = "160000";
const LISTED = 100;

function describe({ allSkipped: _, ...checkpoint }: TakenCheckpoint): Checkpoint {
  return checkpoint;
}

/**
 * Records the present files. Files that the restore would overwrite are recorded even if they are ignored today, so
 * that a second restore brings them back.
 */
async function checkpointBefore(
  place: Place,
  commit: string,
  options: RestoreOptions,
): Promise<TakenCheckpoint> {
  const { signal } = options;
  const present = await takeCheckpoint(place, options);
  const changed = await rawChanges(place, present.commit, commit, signal);
  const added = changed.filter(({ status }) => status === "added").map(({ path }) => path);
  const found = await Promise.all(
    added.map(async (path) => {
      const stats = await lstat(locate(place.root, path)).catch(() => undefined);
      return stats?.isFile() || stats?.isSymbolicLink() ? [path] : [];
    }),
  );
  const include = found.flat();
  if (include.length === 0) return present;
  const complete = await takeCheckpoint(place, { ...options, after: present.commit, include });
  const { files, insertions, deletions } = present;
  return { ...complete, files: Math.max(files, complete.files), insertions, deletions };
}

/** Returns the deleted paths that the rules of the checkpoint ignore. They existed then, but were not recorded. */
async function ignoredBy(
  place: Place,
  commit: string,
  changed: readonly RawChange[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<BytePath>> {
  const isRule = ({ path }: RawChange) => /(^|\/)\.gitignore$/.test(path);
  const deleted = changed.filter(({ status }) => status === "deleted").map(({ path }) => path);
  if (deleted.length === 0 || !changed.some(isRule)) return new Set();
  const scratch = await mkdtemp(join(place.directory, "rules-"));
  try {
    const index = join(scratch, "index");
    const workTree = join(scratch, "files");
    const git = { ...place.git, index, signal };
    await mkdir(workTree);
    await runGit(["read-tree", commit], git);
    const rules = (await listFiles(git)).filter((path) => /(^|\/)\.gitignore$/.test(path));
    const prefix = `--prefix=${workTree}/`;
    await runGit(["checkout-index", "-z", "--stdin", prefix], { ...git, input: toRecords(rules) });
    const input = toRecords(deleted.map((path) => `./${path}`)); // a leading colon would be magic
    const args = ["check-ignore", "--no-index", "-z", "--stdin"];
    const found = await runGit(args, { ...git, workTree, input, exitCodes: [0, 1] });
    return new Set(recordsOf(found.stdout).map((path) => path.slice(2)));
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function listFiles(git: Place["git"]): Promise<BytePath[]> {
  return recordsOf((await runGit(["ls-files", "-z", "--cached"], git)).stdout);
}

/** Returns the tree of a commit in which some paths have their present state. */
async function treeWith(
  place: Place,
  commit: string,
  kept: readonly RawChange[],
  signal: AbortSignal | undefined,
): Promise<string> {
  if (kept.length === 0) return commit;
  const scratch = await mkdtemp(join(place.directory, "tree-"));
  try {
    const git = { ...place.git, index: join(scratch, "index"), signal };
    await runGit(["read-tree", commit], git);
    const lines = kept.map(({ path, oldMode, oldHash }) => `${oldMode} ${oldHash}\t${path}`);
    await runGit(["update-index", "-z", "--index-info"], { ...git, input: toRecords(lines) });
    return await gitText(["write-tree"], git);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface KeptMode {
  readonly path: BytePath;
  readonly mode: number;
  readonly isExecutable: boolean;
}

/** Git records only whether a file is executable. The other permissions of files that git replaces are kept. */
async function modesOf(place: Place, changed: readonly RawChange[]): Promise<KeptMode[]> {
  const files = changed.filter(({ oldMode, newMode }) => isFile(oldMode) && isFile(newMode));
  const found = await Promise.all(
    files.map(async ({ path, newMode }) => {
      const stats = await lstat(locate(place.root, path)).catch(() => undefined);
      const isExecutable = newMode === EXECUTABLE;
      return stats?.isFile() ? [{ path, mode: stats.mode & 0o777, isExecutable }] : [];
    }),
  );
  return found.flat();
}

const EXECUTABLE = "100755";
const isFile = (mode: string): boolean => mode.startsWith("100");

async function restoreModes(place: Place, modes: readonly KeptMode[]): Promise<void> {
  for (const { path, mode, isExecutable } of modes) {
    const readers = (mode & 0o444) >> 2;
    const wanted = isExecutable ? mode | readers : mode & ~0o111;
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(locate(place.root, path), flags).catch(() => undefined);
    if (file === undefined) continue; // another program has replaced it
    try {
      if (((await file.stat()).mode & 0o777) !== wanted) await file.chmod(wanted);
    } finally {
      await file.close();
    }
  }
}

function missing(commit: string): HalyardError {
  return new HalyardError(
    "checkpoint_not_found",
    `The checkpoint ${commit} does not exist. Run "halyard diff ID" to see the state of the files.`,
  );
}

function refused({ root }: Place, cause: unknown): unknown {
  if (!(cause instanceof GitError) || cause.reason !== "failed") return cause;
  return new HalyardError(
    "workspace_failed",
    `The files of ${root} were not changed: ${cause.stderr || cause.message}. Wait until no program writes there, and rewind again.`,
    { cause },
  );
}
