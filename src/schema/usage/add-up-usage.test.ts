import { expect, test } from "vitest";
import { sampleSession } from "../../testing/sample-session.ts";
import type { SessionInfo } from "../session.ts";
import { addUpUsage } from "./add-up-usage.ts";

const used = (inputTokens: number, costUsd?: number) => ({
  inputTokens,
  outputTokens: 1,
  ...(costUsd !== undefined && { costUsd }),
  turns: 1,
  durationMs: 1000,
});

const one: SessionInfo = {
  ...sampleSession({ runtime: "codex", cwd: "/work/shop" }),
  turns: 3,
  usageByDay: { "2026-11-16": used(10), "2026-11-17": { ...used(30, 0.5), turns: 2 } },
};
const two: SessionInfo = {
  ...sampleSession({ runtime: "claude", cwd: "/work/shop", project: "site" }),
  model: { id: "large" },
  turns: 1,
  usageByDay: { "2026-11-17": used(100, 0.25) },
};

test("adds up usage by day, runtime, project and model, and ignores days before `since`", () => {
  const first = { ...used(10), sessions: 1 };
  const second = { ...used(30, 0.5), turns: 2, sessions: 1 };
  const third = { ...used(100, 0.25), sessions: 1 };
  const both = { ...used(40, 0.5), outputTokens: 2, turns: 3, durationMs: 2000, sessions: 1 };
  expect(addUpUsage([one, two])).toEqual({
    total: { ...used(140, 0.75), outputTokens: 3, turns: 4, durationMs: 3000, sessions: 2 },
    days: [
      { day: "2026-11-16", ...first },
      {
        day: "2026-11-17",
        ...used(130, 0.75),
        outputTokens: 2,
        turns: 3,
        durationMs: 2000,
        sessions: 2,
      },
    ],
    runtimes: [
      { runtime: "claude", ...third },
      { runtime: "codex", ...both },
    ],
    projects: [
      { project: "site", ...third },
      { project: "/work/shop", ...both },
    ],
    models: [
      { model: "large", ...third },
      { model: "default", ...both },
    ],
  });
  const report = addUpUsage([one], { since: "2026-11-17" });
  expect(report.days).toEqual([{ day: "2026-11-17", ...second }]);
  expect(report).toMatchObject({ since: "2026-11-17", total: second });
});

test("counts a session in a worktree for the directory from which the worktree was created", () => {
  const worktree = {
    path: "/trees/shop",
    origin: "/work/shop",
    branch: "b",
    base: "c",
    portBase: 1,
  };
  const inTree = { ...one, id: "ses_1111111111111111" as const, cwd: "/trees/shop", worktree };
  expect(addUpUsage([one, inTree]).projects).toMatchObject([
    { project: "/work/shop", sessions: 2 },
  ]);
});

test("counts a session without daily usage on the day of its last event", () => {
  const usage = { inputTokens: 7, outputTokens: 2 };
  const { usageByDay: _, ...old } = { ...one, usage, updatedAt: "2026-01-02T03:04:05.000Z" };
  expect(addUpUsage([old]).days).toEqual([
    { day: "2026-01-02", ...usage, turns: 3, durationMs: 0, sessions: 1 },
  ]);
});

test("returns zero totals and no groups if no turn has ended", () => {
  const none = { inputTokens: 0, outputTokens: 0, turns: 0, durationMs: 0, sessions: 0 };
  expect(addUpUsage([sampleSession()])).toEqual({
    total: none,
    days: [],
    runtimes: [],
    projects: [],
    models: [],
  });
});
