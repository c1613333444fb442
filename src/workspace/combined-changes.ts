import type { FileRange, WorkspaceOptions } from "../contracts/workspace.ts";
import type { Changes } from "../schema/workspace/checkpoint.ts";
import { compare } from "./changes.ts";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { requireCheckpoints } from "./lost-checkpoint.ts";
import { takeSnapshot } from "./snapshot.ts";
import { mergeTrees } from "./tree/merge-trees.ts";

/**
 * Applies each range's changes to the state before the first range, and returns the result as changes. Excludes the
 * changes between the ranges. If a range's change to a file conflicts with that state, uses the range's whole file.
 */
export async function combineChanges(
  repository: CheckpointRepository,
  ranges: readonly FileRange[],
  options: WorkspaceOptions = {},
): Promise<Changes> {
  const start = ranges[0]?.from ?? (await takeSnapshot(repository, options));
  let combined = start;
  for (const { from, to } of ranges) {
    const theirs = to ?? (await takeSnapshot(repository, { after: from, ...options }));
    const isUnbroken = from === combined; // true if nothing changed between the ranges
    combined = isUnbroken
      ? theirs
      : await apply(repository, { base: from, ours: combined, theirs });
  }
  return compare(repository, start, combined, options);
}

async function apply(
  repository: CheckpointRepository,
  sides: Parameters<typeof mergeTrees>[1],
): Promise<string> {
  const merge = await requireCheckpoints(() =>
    mergeTrees(repository, sides, { onConflict: "theirs" }),
  );
  if (merge.conflicts) throw new Error("The merge reported conflicts, although it resolves them.");
  return merge.tree;
}
