import type { Changes, FileChange } from "../schema/workspace/checkpoint.ts";
import { type BytePath, recordsOf, toText } from "./byte-path.ts";
import { runGit } from "./git.ts";
import type { Place } from "./place.ts";

/** A difference between two trees, as git lists it. */
export interface RawChange {
  readonly status: FileChange["status"];
  readonly path: BytePath;
  readonly from?: BytePath;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldHash: string;
}

/** Compares two commits or trees. The diff is cut at `maxBytes`, which defaults to 4 MiB. */
export async function compare(
  place: Place,
  from: string,
  to: string,
  options: { readonly signal?: AbortSignal | undefined; readonly maxBytes?: number } = {},
): Promise<Changes> {
  const { signal, maxBytes = 4 * 1024 * 1024 } = options;
  const git = { ...place.git, signal };
  const [files, patch] = await Promise.all([
    listChanges(place, from, to, signal),
    runGit(["diff-tree", "-r", "-p", "-M", from, to], { ...git, maxBytes, onOverflow: "truncate" }),
  ]);
  return {
    root: place.root,
    from,
    to,
    files,
    ...linesOf(files),
    diff: patch.stdout.toString("utf8"),
    truncated: patch.truncated,
  };
}

/** Returns the number of changed files and lines between two trees. */
export async function countChanges(
  place: Place,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<{ files: number; insertions: number; deletions: number }> {
  const files = await listChanges(place, from, to, signal);
  return { files: files.length, ...linesOf(files) };
}

function linesOf(files: readonly FileChange[]): { insertions: number; deletions: number } {
  return {
    insertions: files.reduce((sum, file) => sum + file.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  };
}

async function listChanges(
  place: Place,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<FileChange[]> {
  const args = ["diff-tree", "-r", "-z", "-M", "--raw", "--numstat", from, to];
  const { stdout } = await runGit(args, { ...place.git, signal });
  const records = new Records(recordsOf(stdout));
  const raw = readRaw(records);
  const counts = readCounts(records);
  return raw.map(({ path, from, status }) => {
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
}

/** Lists the differences between two trees without renames. */
export async function rawChanges(
  place: Place,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<RawChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to];
  const { stdout } = await runGit(args, { ...place.git, signal });
  return readRaw(new Records(recordsOf(stdout)));
}

/** The records of an output, read from the first to the last. */
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

/** Reads and removes the records of `--raw`: `:modes hashes status`, then one path, or two for a rename. */
function readRaw(records: Records): RawChange[] {
  const changes: RawChange[] = [];
  for (;;) {
    const [, oldMode, newMode, oldHash, letter] =
      /^:(\d+) (\d+) ([0-9a-f]+) [0-9a-f]+ ([A-Z])/.exec(records.first ?? "") ?? [];
    const status = letter === undefined ? undefined : statuses.get(letter);
    if (oldMode === undefined || newMode === undefined || oldHash === undefined || !status)
      return changes;
    records.take();
    const from = status === "renamed" ? { from: records.take() } : {};
    changes.push({ status, path: records.take(), ...from, oldMode, newMode, oldHash });
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

/** Reads the records of `--numstat`: `added deleted path`, or `added deleted` and two paths for a rename. */
function readCounts(records: Records): Map<BytePath, Counts> {
  const counts = new Map<BytePath, Counts>();
  while (records.first !== undefined) {
    const [insertions = "", deletions = "", ...rest] = records.take().split("\t");
    const named = rest.join("\t");
    if (named === "") records.take(); // the earlier path of a renamed file
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
