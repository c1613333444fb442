import type { Changes, FileChange } from "../schema/workspace/checkpoint.ts";
import { type BytePath, recordsOf, toText } from "./byte-path.ts";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { type GitOptions, type GitResult, runGit } from "./git/git.ts";
import { requireCheckpoints } from "./lost-checkpoint.ts";

/** A difference between two trees, as git lists it. */
export interface RawChange {
  readonly status: FileChange["status"];
  readonly path: BytePath;
  readonly from?: BytePath;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldHash: string;
  readonly newHash: string;
}

/**
 * Compares two commits or trees. The diff is truncated at `maxBytes`, which defaults to 4 MiB. Rejects with
 * `checkpoint_not_found` if one of them does not exist.
 */
export async function compare(
  repository: CheckpointRepository,
  from: string,
  to: string,
  options: { readonly signal?: AbortSignal | undefined; readonly maxBytes?: number } = {},
): Promise<Changes> {
  const { signal, maxBytes = 4 * 1024 * 1024 } = options;
  // runs in the git directory, because the working directory may no longer exist
  const git = { ...repository.git, cwd: repository.git.gitDir, signal };
  const args = ["diff-tree", "-r", "-p", "-M", from, to];
  const [files, patch] = await requireCheckpoints(() =>
    Promise.all([
      listChanges(repository, from, to, signal),
      runGit(args, { ...git, maxBytes, onOverflow: "truncate" }),
    ]),
  );
  return {
    root: repository.root,
    from,
    to,
    files,
    ...linesOf(files),
    diff: patch.stdout.toString("utf8"),
    truncated: patch.truncated,
  };
}

/** The number of changed files and lines. */
export interface ChangeCounts {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** Counts the changed files and lines between two trees. */
export async function countChanges(
  repository: CheckpointRepository,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<ChangeCounts> {
  const files = await listChanges(repository, from, to, signal);
  return { files: files.length, ...linesOf(files) };
}

/** The differences between a tree and an index. */
export interface IndexChanges {
  readonly raw: readonly RawChange[];
  readonly counts: ChangeCounts;
}

/** Compares a tree with an index. Rejects if a changed file's content is missing. */
export async function compareIndex(from: string, git: GitOptions): Promise<IndexChanges> {
  const output = await runGit(["diff-index", "--cached", ...LISTING, from], git);
  const { raw, files } = readChanges(output);
  return { raw, counts: { files: files.length, ...linesOf(files) } };
}

function linesOf(files: readonly FileChange[]): { insertions: number; deletions: number } {
  return {
    insertions: files.reduce((sum, file) => sum + file.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  };
}

async function listChanges(
  repository: CheckpointRepository,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<FileChange[]> {
  const args = ["diff-tree", "-r", ...LISTING, from, to];
  const git = { ...repository.git, cwd: repository.git.gitDir, signal };
  return readChanges(await runGit(args, git)).files;
}

const LISTING = ["-z", "-M", "--raw", "--numstat"];

function readChanges({ stdout }: GitResult): { raw: RawChange[]; files: FileChange[] } {
  const records = new Records(recordsOf(stdout));
  const raw = readRaw(records);
  const counts = readCounts(records);
  const files = raw.map(({ path, from, status }): FileChange => {
    const { insertions = 0, deletions = 0, binary = false } = counts.get(path) ?? {};
    return {
      path: toText(path),
      ...(from !== undefined && { from: toText(from) }),
      status,
      insertions,
      deletions,
      binary,
    };
  });
  return { raw, files };
}

/** Lists the differences between two trees. Lists a renamed file as a deleted and an added file. */
export async function rawChanges(
  repository: CheckpointRepository,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<RawChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to];
  const { stdout } = await runGit(args, { ...repository.git, signal });
  return readRaw(new Records(recordsOf(stdout)));
}

/** Reads the records in an output, from the first to the last. */
class Records {
  readonly #records: readonly BytePath[];
  #next = 0;

  constructor(records: readonly BytePath[]) {
    this.#records = records;
  }

  get first(): BytePath | undefined {
    return this.#records[this.#next];
  }

  take(): BytePath {
    return this.#records[this.#next++] ?? "";
  }
}

/** Reads the leading `--raw` records: `:modes hashes status`, then one path, or two for a rename. */
function readRaw(records: Records): RawChange[] {
  const changes: RawChange[] = [];
  for (;;) {
    const [, oldMode, newMode, oldHash, newHash, letter = ""] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(records.first ?? "") ?? [];
    const status = statuses.get(letter);
    if (oldMode === undefined || newMode === undefined || !oldHash || !newHash || !status)
      return changes;
    records.take();
    const from = status === "renamed" ? { from: records.take() } : {};
    changes.push({ status, path: records.take(), ...from, oldMode, newMode, oldHash, newHash });
  }
}

const statuses: ReadonlyMap<string, FileChange["status"]> = new Map([
  ["A", "added"],
  ["M", "modified"],
  ["D", "deleted"],
  ["R", "renamed"],
  ["T", "type_changed"],
]);

type Counts = Pick<FileChange, "insertions" | "deletions" | "binary">;

/** Reads the `--numstat` records: `added deleted path`, or `added deleted` and two paths for a rename. */
function readCounts(records: Records): Map<BytePath, Counts> {
  const counts = new Map<BytePath, Counts>();
  while (records.first !== undefined) {
    const [insertions = "", deletions = "", ...rest] = records.take().split("\t");
    const named = rest.join("\t");
    if (named === "") records.take(); // for a renamed file, skips the record with the earlier path
    const path = named === "" ? records.take() : named;
    const binary = insertions === "-";
    counts.set(path, {
      insertions: Number(insertions) || 0,
      deletions: Number(deletions) || 0,
      binary,
    });
  }
  return counts;
}
