import { expect, test } from "vitest";
import { displayWidth, pad, shorten, shortenLeft } from "./display-width.ts";

test.each([
  ["plain", 5],
  ["", 0],
  ["日本語", 6],
  ["né", 2],
  ["ne\u0301", 2],
  ["👩‍👩‍👧", 2],
  ["\u001b[31mred\u001b[39m", 3],
])("%j is %d columns wide", (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test.each([
  ["hello", 5, "hello", "hello"],
  ["hello", 4, "hel…", "…llo"],
  ["日本語です", 6, "日本…", "…です"],
  ["日本語です", 5, "日本…", "…です"],
  ["ab👩‍👩‍👧cd", 4, "ab…", "…cd"],
  ["ne\u0301e\u0301n", 3, "ne\u0301…", "…e\u0301n"],
  ["hello", 0, "…", "…"],
])("shortens %j to %d columns: %j, or %j if the end is kept", (text, columns, left, right) => {
  expect([shorten(text, columns), shortenLeft(text, columns)]).toEqual([left, right]);
});

test("pads by columns, not by characters", () => {
  expect(pad("日本", 6)).toBe("日本  ");
  expect(pad("long", 2)).toBe("long");
});
