import { expect, test } from "vitest";
import { createConnection, startSession } from "../../../test/session/bare-session.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { type BudgetAccount, describeExceeded, findExceeded, timeLeft } from "./budget.ts";
import { budgetAccounts } from "./budget-accounts.ts";

const nothing = { usage: { inputTokens: 0, outputTokens: 0 }, durationMs: 0 };
const account = (given: Partial<BudgetAccount>): BudgetAccount => ({
  scope: "session",
  budget: {},
  extensions: [],
  ...nothing,
  ...given,
});

test("adds the reported cost and the estimate, and marks the sum as an estimate", () => {
  const budget = { costUsd: 1 };
  const own = account({ budget, usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.6 } });
  const turn = { ...nothing, usage: { inputTokens: 1, outputTokens: 1, estimatedCostUsd: 0.5 } };
  expect(findExceeded([own], nothing)).toBeUndefined();
  const exceeded = findExceeded([own], turn);
  expect(exceeded).toEqual({
    scope: "session",
    unit: "costUsd",
    limit: 1,
    used: 1.1,
    extendBy: 1,
    isEstimate: true,
  });
  expect(exceeded && describeExceeded(exceeded)).toBe(
    "The budget of the session is used up: $1.10 of $1.00 (partly an estimate).",
  );
});

test("adds up extensions of the same scope and day, and applies the removal of a limit", () => {
  const usage = { inputTokens: 25, outputTokens: 0 };
  const extension = { scope: "day", unit: "tokens", amount: 10, day: "2026-11-17" } as const;
  const own = (extensions: BudgetAccount["extensions"]) =>
    account({ scope: "day", day: "2026-11-17", budget: { tokens: 10 }, usage, extensions });
  expect(findExceeded([own([extension])], nothing)).toMatchObject({ limit: 20, used: 25 });
  expect(findExceeded([own([extension, extension])], nothing)).toBeUndefined();
  const other = { ...extension, day: "2026-11-16" };
  expect(findExceeded([own([other, other])], nothing)).toMatchObject({ limit: 10 });
  const { amount: _, ...removed } = extension;
  expect(findExceeded([own([removed])], nothing)).toBeUndefined();
});

test("returns a time budget's remaining time, or undefined without a time budget", () => {
  const own = account({ budget: { minutes: 2 }, durationMs: 30_000 });
  expect(timeLeft([own], { ...nothing, durationMs: 60_000 })).toBe(30_000);
  expect(timeLeft([own], { ...nothing, durationMs: 600_000 })).toBe(0);
  expect(timeLeft([account({})], nothing)).toBeUndefined();
});

test("adds up the usage of a day, and of a directory if the session has no project", async () => {
  const store = new MemoryStore();
  const now = new Date("2026-11-17T12:00:00Z");
  const clock = { now: () => now, elapsedMs: () => 0 };
  const { session } = await startSession(createConnection().connection, store);
  await session.ready();
  const day = (inputTokens: number) => ({
    inputTokens,
    outputTokens: 0,
    turns: 1,
    durationMs: 60_000,
  });
  const info: SessionInfo = {
    ...session.info,
    usageByDay: { "2026-11-16": day(100), "2026-11-17": day(20) },
    turnUsage: { inputTokens: 7, outputTokens: 0 }, // the turn whose budget is checked
  };
  const other: SessionInfo = {
    ...info,
    id: "ses_0000000000000000",
    usageByDay: { "2026-11-17": day(3) },
    turnUsage: { inputTokens: 1, outputTokens: 0 },
    budgetExtensions: [{ scope: "project", unit: "tokens", amount: 5 }],
  };
  const elsewhere: SessionInfo = { ...other, id: "ses_0000000000000001", cwd: "/elsewhere" };
  for (const one of [other, elsewhere])
    await store.create(one, { pid: 9, startTime: "1", bootId: "1" });
  const budgets = { project: { tokens: 1000 }, day: { tokens: 2000 } };
  const accounts = await budgetAccounts({ store, clock }, info, budgets);
  expect(accounts).toMatchObject([
    { scope: "project", usage: { inputTokens: 124 }, durationMs: 180_000, extensions: [{}] },
    { scope: "day", day: "2026-11-17", usage: { inputTokens: 28 }, durationMs: 180_000 },
  ]);
  await session.stop();
});
