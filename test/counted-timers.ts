import { onTestFinished, vi } from "vitest";

/**
 * Replaces `setTimeout` and `clearTimeout` with fake timers until the test ends. Returns a function that returns the number
 * of timers that were started since its last call.
 */
export function countTimers(): () => number {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const fake = globalThis.setTimeout;
  let count = 0;
  globalThis.setTimeout = Object.assign((...args: Parameters<typeof fake>) => {
    count++;
    return fake(...args);
  }, fake);
  onTestFinished(() => {
    globalThis.setTimeout = fake;
    vi.useRealTimers();
  });
  return () => {
    const counted = count;
    count = 0;
    return counted;
  };
}
