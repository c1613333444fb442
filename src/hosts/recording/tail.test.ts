import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { countTimers } from "../../../test/counted-timers.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { tail } from "./tail.ts";

test("polls a file rarely while it does not grow and its watcher works, and reads new bytes immediately", async () => {
  const file = join(await temporaryDirectory(), "stdout");
  writeFileSync(file, "");
  const timers = countTimers();
  const stopping = new AbortController();
  const { signal: ended } = new AbortController();
  const chunks = tail(file, { from: 0, ended, signals: [stopping.signal] });
  const next = async () => (await chunks.next()).value?.bytes.toString();
  let created = 0;
  for (const text of ["one", "two"]) {
    const read = next();
    created += timers();
    expect(created).toBeGreaterThan(0); // a watcher was created
    appendFileSync(file, text);
    expect(await read).toBe(text); // the test fires no timer, so the watcher must have reported the change
  }
  const read = next();
  vi.advanceTimersByTime(40_000);
  timers();
  vi.advanceTimersByTime(64_000);
  expect(timers()).toBeLessThanOrEqual(4);
  appendFileSync(file, "three");
  expect(await read).toBe("three");
  expect(timers()).toBe(1); // a file that grows is polled often again
  vi.advanceTimersByTime(1_000);
  expect(timers()).toBeGreaterThanOrEqual(2);
  stopping.abort();
  expect(await next()).toBeUndefined();
});
