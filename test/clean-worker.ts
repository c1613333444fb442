import { setTimeout as realTimeout } from "node:timers";
import { afterAll, afterEach, vi } from "vitest";

/** Test files share workers. If a file does not restore fake timers, all later tests in its worker hang. */
afterAll(() => {
  vi.restoreAllMocks(); // restored before the next test; otherwise a spy on a fake timer would restore the fake timer
  if (globalThis.setTimeout !== realTimeout)
    throw new Error("This test file did not restore the real timers.");
});

/**
 * Collects garbage after a test that left much of it. The kernel copies the page tables of this process for every program
 * that a test starts: after a line of 50 MiB, this process has 700 MB, and each start takes about 30 ms longer.
 */
afterEach(() => {
  const size = process.memoryUsage.rss();
  if (hasCollected) remaining = size; // V8 may return the memory to the system some time after the collection
  hasCollected = size > Math.max(LIMIT_BYTES, 1.5 * remaining);
  if (hasCollected) globalThis.gc?.();
});

const LIMIT_BYTES = 250 * 2 ** 20;
let hasCollected = false;
let remaining = 0;
