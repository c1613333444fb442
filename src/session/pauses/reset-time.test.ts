import { expect, test } from "vitest";
import { resetTimeIn } from "./reset-time.ts";

const now = new Date("2026-11-17T12:00:30.000Z");
const inMs = (ms: number) => new Date(now.getTime() + ms).toISOString();

test.each([
  ["Rate limit reached for gpt-5. Please try again in 20s.", inMs(20_000)],
  ["Rate limit reached. Please try again in 6m0s. Visit …", inMs(360_000)],
  ["Please try again in 1.5s", inMs(1500)],
  ["Please try again in 350ms", inMs(350)],
  ["Retry after 2 hours and 5 minutes", inMs(7_500_000)],
  ["Server requested 3600s retry delay (max: 60s)", inMs(3_600_000)],
  ["Claude AI usage limit reached|1794917918", "2026-11-17T12:18:38.000Z"],
  ["You've hit your limit · resets 3am (UTC)", "2026-11-18T03:00:00.000Z"],
  ["You've hit your limit · resets 3:30pm (UTC)", "2026-11-17T15:30:00.000Z"],
  ["limited until 2026-11-17T13:00:00Z", "2026-11-17T13:00:00.000Z"],
  ["resets Nov 20, 2026 at 5pm (UTC)", "2026-11-20T17:00:00.000Z"],
  // The text has no seconds, so the limit may reset as late as the end of the minute.
  ["resets at 12:00 PM UTC", "2026-11-17T12:01:00.000Z"],
])("finds the reset time in %j", (text, expected) => {
  expect(resetTimeIn(text, now)?.toISOString()).toBe(expected);
});

test("reads a time of day without a time zone as local time", () => {
  const text = "visit https://chatgpt.com/settings/usage or try again at 3:05 PM.";
  const found = resetTimeIn(text, now) ?? new Date(0);
  expect([found.getHours(), found.getMinutes(), found.getSeconds()]).toEqual([15, 5, 0]);
  expect(found.getTime()).toBeGreaterThan(now.getTime());
});

test.each(["You have hit your usage limit.", "429 Too Many Requests", "10 of 20 requests used"])(
  "finds no reset time in %j",
  (text) => {
    expect(resetTimeIn(text, now)).toBeUndefined();
  },
);
