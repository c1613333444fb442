import type { CheckpointOptions } from "../contracts/workspace.ts";
import type { Checkpoint } from "../schema/workspace/checkpoint.ts";
import type { BytePath } from "./byte-path.ts";
import { countChanges } from "./changes.ts";
import { GitError, gitText, runGit } from "./git.ts";
import type { Place } from "./place.ts";
import { describeSkipped, type Skipped } from "./scan.ts";
import { takeSnapshot } from "./snapshot.ts";

/** A checkpoint, and all files that it does not contain. */
export interface TakenCheckpoint extends Checkpoint {
  readonly allSkipped: readonly Skipped[];
}

/** Options of `takeCheckpoint`. */
export interface TakeOptions extends CheckpointOptions {
  /** Paths to record although they are ignored. */
  readonly include?: readonly BytePath[] | undefined;
}

/**
 * Records all files in a commit that a private ref keeps alive. Nothing else of the user's repository changes. Returns
 * the commit of `after` again if it has the same files.
 */
export async function takeCheckpoint(place: Place, options: TakeOptions): Promise<TakenCheckpoint> {
  const { after, signal } = options;
  const { tree, skipped } = await takeSnapshot(place, options);
  const message = messageOf(skipped);
  if (after !== undefined && (await isSame(place, after, { tree, message })))
    return describe(after, noChanges, skipped);
  const [counts, commit] = await Promise.all([
    after === undefined ? noChanges : countChanges(place, after, tree, signal),
    gitText(["commit-tree", tree], { ...place.git, signal, input: message }),
  ]);
  await place.refs.add(commit, signal);
  place.known.checkpoint = { commit, tree, message };
  return describe(commit, counts, skipped);
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

/** The commit lists the skipped files, so that a restore leaves them alone. */
function messageOf(skipped: readonly Skipped[]): string {
  const listed = [...skipped].sort((a, b) => (a.path < b.path ? -1 : 1));
  return `${TITLE}\n\n${JSON.stringify(listed.map(({ path, reason }) => [path, reason]))}\n`;
}

const TITLE = "Checkpoint of Halyard";

async function isSame(
  { git, known }: Place,
  commit: string,
  expected: { readonly tree: string; readonly message: string },
): Promise<boolean> {
  const { checkpoint } = known;
  const found = checkpoint?.commit === commit ? checkpoint : await readCommit(git, commit);
  return found?.tree === expected.tree && found.message === expected.message;
}

async function readCommit(
  git: Place["git"],
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

/** Returns the paths that a checkpoint does not contain. Returns undefined if there is no such checkpoint. */
export async function skippedIn({ git }: Place, commit: string): Promise<BytePath[] | undefined> {
  const found = await readCommit(git, commit);
  if (found === undefined || !found.message.startsWith(`${TITLE}\n`)) return undefined;
  const listed: unknown = JSON.parse(found.message.slice(TITLE.length));
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((entry) => (Array.isArray(entry) ? [String(entry[0])] : []));
}
