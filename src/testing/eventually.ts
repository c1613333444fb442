import { vi } from "vitest";

/**
 * Repeats an assertion until it passes, and returns its result. Fails after 20 s, because Vitest's default of 1 s is
 * too short for a process on a busy machine.
 */
export function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: 20_000 });
}
