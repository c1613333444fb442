import { expect, test } from "vitest";
import {
  abbreviateHome,
  formatAge,
  formatCost,
  formatCount,
  formatDuration,
  formatTokens,
} from "./format.ts";

test.each([
  [850, "850 ms"],
  [2449, "2.4 s"],
  [59_499, "59.5 s"],
  [59_999, "1 min"],
  [192_000, "3 min 12 s"],
  [1_800_000, "30 min"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
])("formats a duration of %d ms as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [-5, "0 s"],
  [12_000, "12 s"],
  [300_000, "5 min"],
  [10_800_000, "3 h"],
  [700_000_000, "8 d"],
])("formats an age of %d ms as %s", (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});

test.each([
  [950, "950"],
  [1234, "1.2k"],
  [9960, "10k"],
  [34_400, "34k"],
  [999_600, "1.0M"],
])("formats the number %d as %s", (value, text) => {
  expect(formatCount(value)).toBe(text);
});

test("omits tokens and costs that are unknown", () => {
  expect(formatTokens({ inputTokens: 0, outputTokens: 0 })).toBe("");
  expect(formatTokens({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 2000 })).toBe(
    "2.0k tokens in, 5 out",
  );
  const cached = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 200, cacheWriteTokens: 600 };
  expect(formatTokens(cached)).toBe("810 tokens in, 5 out");
  expect([
    formatCost({ inputTokens: 1, outputTokens: 1 }),
    formatCost({ inputTokens: 1, outputTokens: 1, costUsd: 1.5 }),
  ]).toEqual(["", "$1.50"]);
});

test("abbreviates the home directory to a tilde", () => {
  expect([
    abbreviateHome("/h/x", "/h"),
    abbreviateHome("/h", "/h"),
    abbreviateHome("/hx", "/h"),
  ]).toEqual(["~/x", "~", "/hx"]);
});
