import { expect, test } from "vitest";
import { WakeSlots } from "./wake-slots.ts";

/** Creates a clock that the test can set. */
function createClock(at: string) {
  let time = Date.parse(at);
  const clock = { now: () => new Date(time), elapsedMs: () => time };
  return {
    clock,
    set(to: string): void {
      time = Date.parse(to);
    },
  };
}

const seconds = (times: readonly number[]) => times.map((ms) => Math.floor(ms / 1000));

test("assigns a different second to each of ten sessions, even without random delays", () => {
  const { clock } = createClock("2026-11-17T12:00:00Z");
  for (const random of [() => 0, () => 0.5, Math.random]) {
    const slots = new WakeSlots(clock, random);
    const reset = Date.parse("2026-11-17T17:00:00Z");
    const times = Array.from({ length: 10 }, () => slots.takeAfter(reset));
    expect(new Set(seconds(times)).size).toBe(10);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(reset);
      expect(time).toBeLessThan(reset + 45_000);
    }
  }
});

test("assigns consecutive seconds to sessions whose time has passed", () => {
  const { clock } = createClock("2026-11-17T18:00:00Z");
  const slots = new WakeSlots(clock);
  const past = Date.parse("2026-11-17T17:00:00Z");
  const times = Array.from({ length: 10 }, () => slots.take(past));
  const first = Date.parse("2026-11-17T18:00:00Z");
  expect(times).toEqual(Array.from({ length: 10 }, (_, index) => first + index * 1000));
});

test("replaces a time in the past with the current time if the current second is free", () => {
  const { clock, set } = createClock("2026-11-17T12:00:00Z");
  const slots = new WakeSlots(clock, () => 0);
  slots.take(Date.parse("2026-11-17T12:00:05Z"));
  set("2026-11-17T12:00:10Z");
  expect(slots.take(0)).toBe(Date.parse("2026-11-17T12:00:10Z"));
});

test("delays by at most a tenth of the wait, so that a short wait stays short", () => {
  const { clock } = createClock("2026-11-17T12:00:00Z");
  const slots = new WakeSlots(clock, () => 1);
  const reset = Date.parse("2026-11-17T12:00:02Z");
  expect(slots.takeAfter(reset)).toBe(reset + 200);
});
