import { expect, test } from "vitest";
import { untilSilent } from "./patience.ts";

const never = new AbortController().signal;

test("a program that shows no sign of life is waited for as long as was said", async () => {
  const process = { stderrTail: async () => "" };
  expect(await untilSilent(process, { limitMs: 20, signal: never })).toBe(20);
});

test("the time that it was kept waiting for a processor does not count", async () => {
  const waits = [1_000, 2_000, 3_000];
  const process = { stderrTail: async () => "", waitedMs: async () => waits.shift() ?? 0 };
  expect(await untilSilent(process, { limitMs: 10, signal: never })).toBe(10);
  expect(waits).toEqual([]);
});

test("every word on standard error is a sign of life", async () => {
  const words = ["fetching", "fetching it", "fetching it all"];
  const process = { stderrTail: async () => words.shift() ?? "fetching it all" };
  await untilSilent(process, { limitMs: 10, signal: never });
  expect(words).toEqual([]);
});

test("nobody waits for one that has answered", async () => {
  const answered = new AbortController();
  const process = { stderrTail: async () => "" };
  const waiting = untilSilent(process, { limitMs: 60_000, signal: answered.signal });
  answered.abort();
  expect(await waiting).toBeUndefined();
});
