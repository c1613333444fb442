/**
 * Collects garbage if a test left much of it. The kernel copies the page tables of this process for every program that a test
 * starts: after a line of 50 MiB, this process has 700 MB, and each start takes about 30 ms longer. The state is in this module
 * and not in the set-up file, because a worker runs the set-up file again for each test file. With a new state per file, the
 * worker would collect garbage once per file, which takes up to 0.4 s.
 */
export function collectGarbage(): void {
  const size = process.memoryUsage.rss();
  if (hasCollected) remaining = size; // V8 may return the memory to the system some time after the collection
  hasCollected = size > Math.max(LIMIT_BYTES, 1.5 * remaining);
  if (hasCollected) globalThis.gc?.();
}

const LIMIT_BYTES = 250 * 2 ** 20;
let hasCollected = false;
let remaining = 0;
