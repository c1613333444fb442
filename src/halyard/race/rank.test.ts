import { expect, test } from "vitest";
import type { Racer } from "../../schema/workspace/race.ts";
import { ranked, winnerOf } from "./rank.ts";

const done = (runtime: string, change: Partial<Racer> = {}): Racer => ({
  runtime,
  state: "done",
  outcome: "completed",
  changes: { files: 1, insertions: 5, deletions: 5 },
  ...change,
});
const passed = { check: { passed: true, output: "" } };
const failed = { check: { passed: false, output: "1 failed" } };
const usage = (costUsd: number) => ({ usage: { inputTokens: 1, outputTokens: 1, costUsd } });
const names = (racers: readonly Racer[]) => ranked(racers).map(({ runtime }) => runtime);

test("ranks by the check, then by the size of the diff, then by cost", () => {
  const large = { changes: { files: 2, insertions: 90, deletions: 0 } };
  const racers = [
    done("failed", { ...failed, changes: { files: 1, insertions: 1, deletions: 0 } }),
    done("large", { ...passed, ...large }),
    done("unpriced", passed),
    done("dear", { ...passed, ...usage(2) }),
    done("cheap", { ...passed, ...usage(1) }),
  ];
  expect(names(racers)).toEqual(["cheap", "dear", "unpriced", "large", "failed"]);
  expect(winnerOf(ranked(racers))?.runtime).toBe("cheap");
});

test("includes estimated cost in the rank", () => {
  const estimated = (estimatedCostUsd: number) => ({
    usage: { inputTokens: 1, outputTokens: 1, estimatedCostUsd },
  });
  const racers = [done("dear", usage(2)), done("unpriced"), done("cheap", estimated(1))];
  expect(names(racers)).toEqual(["cheap", "dear", "unpriced"]);
});

test("ranks sessions without changes and failed turns last", () => {
  const nothing = { changes: { files: 0, insertions: 0, deletions: 0 } };
  const racers = [
    { runtime: "unstarted", state: "done" } as const,
    done("failed", { outcome: "failed" }),
    done("idle", nothing),
    done("worker"),
  ];
  expect(names(racers)).toEqual(["worker", "idle", "failed", "unstarted"]);
});

test("returns no winner if no session both passed the check and changed a file", () => {
  expect(winnerOf(ranked([done("a", failed)]))).toBeUndefined();
  const nothing = { changes: { files: 0, insertions: 0, deletions: 0 } };
  expect(winnerOf(ranked([done("a", { ...passed, ...nothing })]))).toBeUndefined();
  expect(winnerOf([])).toBeUndefined();
});
