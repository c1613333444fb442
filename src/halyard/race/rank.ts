import { knownCostUsd } from "../../schema/usage/usage.ts";
import type { RaceInfo, Racer } from "../../schema/workspace/race.ts";

/**
 * Sorts racers: a passed check first, then a completed turn, then changes before no changes, then the smaller diff,
 * then the lower cost. A session without changes has the smallest diff but has not done the task.
 */
export function ranked(racers: readonly Racer[]): Racer[] {
  return [...racers].sort((a, b) => {
    const [left, right] = [scoreOf(a), scoreOf(b)];
    for (const [index, score] of left.entries()) {
      const difference = score - (right[index] ?? 0);
      if (difference !== 0 && !Number.isNaN(difference)) return difference;
    }
    return 0;
  });
}

/**
 * Returns the first of the ranked racers if it won: its turn completed, it changed files, and it passed the check, if
 * any. Otherwise returns undefined.
 */
export function winnerOf(racers: readonly Racer[]): Racer | undefined {
  const [first] = racers;
  const isWinner =
    first?.outcome === "completed" && hasChanges(first) && (first.check?.passed ?? true);
  return isWinner ? first : undefined;
}

/** Adds the winner to a race. A race that did not finish has no winner, because a check may be missing. */
export function withWinner(race: RaceInfo): RaceInfo {
  const winner = race.state === "done" ? winnerOf(race.racers)?.sessionId : undefined;
  return { ...race, ...(winner !== undefined && { winner }) };
}

/** Returns the numbers by which racers are compared, the most important first. Smaller numbers rank higher. */
function scoreOf(racer: Racer): number[] {
  const { outcome, check, changes, usage } = racer;
  return [
    check?.passed ? 0 : 1,
    outcome === "completed" ? 0 : 1,
    hasChanges(racer) ? 0 : 1,
    changes ? changes.insertions + changes.deletions : Number.POSITIVE_INFINITY,
    (usage && knownCostUsd(usage)) ?? Number.POSITIVE_INFINITY,
  ];
}

function hasChanges({ changes }: Racer): boolean {
  return changes !== undefined && changes.files > 0;
}
