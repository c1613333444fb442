import { expect, test } from "vitest";
import { describeUsage, metrics } from "./metric.ts";

test("counts the tokens that were read from a cache and written to a cache", () => {
  const tokens = { inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000 };
  const total = { ...tokens, turns: 1, sessions: 1, durationMs: 5000 };
  const [metric] = metrics;
  expect([metric.name, metric.valueOf({ name: "codex", total })]).toEqual(["Tokens", 4321]);
  expect(describeUsage({ name: "codex", total })).toBe("codex: 4.3k tokens, 1 turn, 5.0 s");
});
