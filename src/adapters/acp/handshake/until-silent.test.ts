import { expect, test } from "vitest";
import { untilSilent } from "./until-silent.ts";

const never = new AbortController().signal;

test("resolves after the limit for a process without activity", async () => {
  const process = { stderrTail: async () => "" };
  expect(await untilSilent(process, { limitMs: 20, signal: never })).toBe(20);
});

test("does not count the time that the process waits for a CPU", async () => {
  const waits = [1_000, 2_000, 3_000];
  const process = { stderrTail: async () => "", waitedMs: async () => waits.shift() ?? 0 };
  expect(await untilSilent(process, { limitMs: 10, signal: never })).toBe(10);
  expect(waits).toEqual([]);
});

test("restarts the limit when stderr changes", async () => {
  const outputs = ["fetching", "fetching it", "fetching it all"];
  const process = { stderrTail: async () => outputs.shift() ?? "fetching it all" };
  await untilSilent(process, { limitMs: 10, signal: never });
  expect(outputs).toEqual([]);
});

test("resolves with undefined when the signal is aborted", async () => {
  const answered = new AbortController();
  const process = { stderrTail: async () => "" };
  const waiting = untilSilent(process, { limitMs: 60_000, signal: answered.signal });
  answered.abort();
  expect(await waiting).toBeUndefined();
});
