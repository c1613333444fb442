import { constants } from "node:fs";
import { lstat, mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RestoreOptions } from "../contracts/workspace.ts";
import { HalyardError } from "../errors/error.ts";
import type { Checkpoint, Rewound } from "../schema/workspace/checkpoint.ts";
import { type BytePath, locate, recordsOf, toRecords, toText } from "./byte-path.ts";
import { countChanges, type RawChange, rawChanges } from "./changes.ts";
import { skippedIn, type TakenCheckpoint, takeCheckpoint } from "./checkpoint.ts";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { GitError, gitText, runGit } from "./git/git.ts";
import { checkpointNotFound } from "./lost-checkpoint.ts";
import { withPrivateIndex } from "./private-index.ts";

/**
 * Takes a checkpoint of the current files, then restores another checkpoint's files. Does not change nested
 * repositories or files that either checkpoint skipped, and does not delete files that the restored checkpoint's rules
 * ignore. Git replaces a link instead of writing through it, and refuses to start if a file that it would change differs
 * from the recorded one.
 * Rejects with `checkpoint_not_found` if the commit is not a checkpoint, and with `workspace_failed` if git refuses.
 */
export async function restoreCheckpoint(
  repository: CheckpointRepository,
  commit: string,
  options: RestoreOptions,
): Promise<Rewound> {
  const { signal, onBefore } = options;
  const skipped = await skippedIn(repository, commit);
  if (skipped === undefined) throw checkpointNotFound(commit);
  const before = await checkpointBefore(repository, commit, options);
  await onBefore(describe(before));
  const changed = await rawChanges(repository, before.commit, commit, signal);
  const left = new Set([...skipped, ...before.allSkipped.map(({ path }) => path)]);
  const ignored = await ignoredBy(repository, commit, changed, signal);
  const kept = changed.filter(
    ({ path, oldMode, newMode, status }) =>
      left.has(path) ||
      oldMode === REPOSITORY ||
      newMode === REPOSITORY ||
      (status === "deleted" && ignored.has(path)),
  );
  const tree = await treeWith(repository, commit, kept, signal);
  const applied = changed.filter((change) => !kept.includes(change));
  const modes = await modesOf(repository, applied);
  await withPrivateIndex(repository, { after: before.commit, signal }, async (index) => {
    const git = { ...repository.git, index };
    await runGit(["update-index", "-q", "--refresh"], { ...git, exitCodes: [0, 1] });
    delete repository.known.indexTree;
    await runGit(["read-tree", "-m", "-u", before.commit, tree], git);
  }).catch((error) => {
    throw refused(repository, error);
  });
  await restoreModes(repository, modes);
  const { allSkipped: _, ...after } = await takeCheckpoint(repository, { after: before.commit });
  const counts = await countChanges(repository, before.commit, after.commit, undefined);
  const names = kept.map(({ path }) => toText(path)).slice(0, LISTED);
  return { to: commit, before: before.commit, commit: after.commit, ...counts, kept: names };
}

const REPOSITORY = "160000";
const LISTED = 100;

function describe({ allSkipped: _, ...checkpoint }: TakenCheckpoint): Checkpoint {
  return checkpoint;
}

/**
 * Records the current files. Files that the restore would overwrite are recorded even if they are ignored now, so that
 * a second restore can restore them.
 */
async function checkpointBefore(
  repository: CheckpointRepository,
  commit: string,
  options: RestoreOptions,
): Promise<TakenCheckpoint> {
  const { signal } = options;
  const present = await takeCheckpoint(repository, { ...options, needsIndex: true });
  const changed = await rawChanges(repository, present.commit, commit, signal);
  const added = changed.filter(({ status }) => status === "added").map(({ path }) => path);
  const found = await Promise.all(
    added.map(async (path) => {
      const stats = await lstat(locate(repository.root, path)).catch(() => undefined);
      return stats?.isFile() || stats?.isSymbolicLink() ? [path] : [];
    }),
  );
  const include = found.flat();
  if (include.length === 0) return present;
  const complete = await takeCheckpoint(repository, { ...options, after: present.commit, include });
  const { files, insertions, deletions } = present;
  return { ...complete, files: Math.max(files, complete.files), insertions, deletions };
}

/**
 * Returns the paths to delete that the checkpoint's own rules ignore. Such files may have existed when the checkpoint
 * was taken, but were not recorded.
 */
async function ignoredBy(
  repository: CheckpointRepository,
  commit: string,
  changed: readonly RawChange[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<BytePath>> {
  const isRule = ({ path }: RawChange) => /(^|\/)\.gitignore$/.test(path);
  const deleted = changed.filter(({ status }) => status === "deleted").map(({ path }) => path);
  if (deleted.length === 0 || !changed.some(isRule)) return new Set();
  const scratch = await mkdtemp(join(repository.directory, "rules-"));
  try {
    const index = join(scratch, "index");
    const workTree = join(scratch, "files");
    const git = { ...repository.git, index, signal };
    await mkdir(workTree);
    await runGit(["read-tree", commit], git);
    const rules = (await listFiles(git)).filter((path) => /(^|\/)\.gitignore$/.test(path));
    const prefix = `--prefix=${workTree}/`;
    await runGit(["checkout-index", "-z", "--stdin", prefix], { ...git, input: toRecords(rules) });
    // `./`, because a leading colon would have a special meaning for git
    const input = toRecords(deleted.map((path) => `./${path}`));
    const args = ["check-ignore", "--no-index", "-z", "--stdin"];
    const found = await runGit(args, { ...git, workTree, input, exitCodes: [0, 1] });
    return new Set(recordsOf(found.stdout).map((path) => path.slice(2)));
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function listFiles(git: CheckpointRepository["git"]): Promise<BytePath[]> {
  return recordsOf((await runGit(["ls-files", "-z", "--cached"], git)).stdout);
}

/** Returns a commit's tree in which some paths have their current state. */
async function treeWith(
  repository: CheckpointRepository,
  commit: string,
  kept: readonly RawChange[],
  signal: AbortSignal | undefined,
): Promise<string> {
  if (kept.length === 0) return commit;
  const scratch = await mkdtemp(join(repository.directory, "tree-"));
  try {
    const git = { ...repository.git, index: join(scratch, "index"), signal };
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

/**
 * Returns the modes of the files that git will replace. Git records only whether a file is executable, so the other
 * permissions are restored afterward.
 */
async function modesOf(
  repository: CheckpointRepository,
  changed: readonly RawChange[],
): Promise<KeptMode[]> {
  const files = changed.filter(({ oldMode, newMode }) => isFile(oldMode) && isFile(newMode));
  const found = await Promise.all(
    files.map(async ({ path, newMode }) => {
      const stats = await lstat(locate(repository.root, path)).catch(() => undefined);
      const isExecutable = newMode === EXECUTABLE;
      return stats?.isFile() ? [{ path, mode: stats.mode & 0o777, isExecutable }] : [];
    }),
  );
  return found.flat();
}

const EXECUTABLE = "100755";
const isFile = (mode: string): boolean => mode.startsWith("100");

async function restoreModes(
  repository: CheckpointRepository,
  modes: readonly KeptMode[],
): Promise<void> {
  for (const { path, mode, isExecutable } of modes) {
    const readers = (mode & 0o444) >> 2;
    const wanted = isExecutable ? mode | readers : mode & ~0o111;
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(locate(repository.root, path), flags).catch(() => undefined);
    if (file === undefined) continue; // another program has replaced the file
    try {
      if (((await file.stat()).mode & 0o777) !== wanted) await file.chmod(wanted);
    } finally {
      await file.close();
    }
  }
}

function refused({ root }: CheckpointRepository, cause: unknown): unknown {
  if (!(cause instanceof GitError) || cause.reason !== "failed") return cause;
  return new HalyardError(
    "workspace_failed",
    `The files in ${root} were not changed: ${cause.stderr || cause.message}. Wait until no program writes to this directory, and rewind again.`,
    { cause },
  );
}
