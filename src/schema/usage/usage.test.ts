import { expect, test } from "vitest";
import { addUsage, noUsage, tidyUsage } from "./usage.ts";

test("adds up the fields of both operands, and adds no others", () => {
  const one = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 };
  const other = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, costUsd: 0.5 };
  expect(addUsage(one, other)).toEqual({
    inputTokens: 11,
    outputTokens: 22,
    cacheReadTokens: 33,
    costUsd: 0.5,
  });
  expect(addUsage(one, noUsage)).toEqual(one);
  expect(one).toEqual({ inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 });
});

test("removes zeros except for input and output tokens", () => {
  const reported = { ...noUsage, cacheReadTokens: 0, reasoningTokens: 4, costUsd: 0 };
  expect(tidyUsage(reported)).toEqual({ inputTokens: 0, outputTokens: 0, reasoningTokens: 4 });
});
