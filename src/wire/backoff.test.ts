import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

test("doubles the delay after each attempt, up to the limit", () => {
  const options = { baseMs: 100, maxMs: 500, jitter: 0 };
  const delays = [0, 1, 2, 3, 5000].map((attempt) => backoffMs(attempt, options));
  expect(delays).toEqual([100, 200, 400, 500, 500]);
});

test("reduces a delay by at most the jitter", () => {
  const options = { baseMs: 100, maxMs: 100, jitter: 0.2 };
  expect(backoffMs(0, { ...options, random: () => 0 })).toBe(100);
  expect(backoffMs(0, { ...options, random: () => 1 })).toBe(80);
});

test("never returns a negative delay or a delay over the limit", () => {
  const options = fc.record({
    baseMs: fc.integer({ min: 1, max: 1e6 }),
    maxMs: fc.integer({ min: 1, max: 1e6 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.nat(), options, (attempt, settings) => {
      const delayMs = backoffMs(attempt, settings);
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThanOrEqual(settings.maxMs);
    }),
  );
});
