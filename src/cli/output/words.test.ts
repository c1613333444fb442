import { expect, test } from "vitest";
import { age, cost, count, duration, tilde, tokens } from "./words.ts";

test.each([
  [850, "850 ms"],
  [2449, "2.4 s"],
  [59_499, "59.5 s"],
  [59_999, "1 min 0 s"],
  [192_000, "3 min 12 s"],
  [7_500_000, "2 h 5 min"],
])("%d milliseconds are %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [-5, "0 s"],
  [12_000, "12 s"],
  [300_000, "5 min"],
  [10_800_000, "3 h"],
  [700_000_000, "8 d"],
])("%d milliseconds ago was %s ago", (ms, text) => {
  expect(age(ms)).toBe(text);
});

test.each([
  [950, "950"],
  [1234, "1.2k"],
  [9960, "10k"],
  [34_400, "34k"],
  [999_600, "1.0M"],
])("%d is %s", (value, text) => {
  expect(count(value)).toBe(text);
});

test("tokens and cost are told only where they are known", () => {
  expect(tokens({ inputTokens: 0, outputTokens: 0 })).toBe("");
  expect(tokens({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 2000 })).toBe(
    "2.0k tokens in, 5 out",
  );
  expect([
    cost({ inputTokens: 1, outputTokens: 1 }),
    cost({ inputTokens: 1, outputTokens: 1, costUsd: 1.5 }),
  ]).toEqual(["", "$1.50"]);
});

test("the home directory is a tilde", () => {
  expect([tilde("/h/x", "/h"), tilde("/h", "/h"), tilde("/hx", "/h")]).toEqual(["~/x", "~", "/hx"]);
});
