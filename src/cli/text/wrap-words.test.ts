import { expect, test } from "vitest";
import { wrapText, wrapWords } from "./wrap-words.ts";

test("wraps between words by display width and indents the following lines", () => {
  expect(wrapWords("! one two 漢字漢字 three", 12, "  ")).toEqual([
    "! one two",
    "  漢字漢字",
    "  three",
  ]);
  expect(wrapWords("short", 12, "  ")).toEqual(["short"]);
});

test("does not count color codes and does not break a long word", () => {
  const red = "\u001b[31mone two\u001b[39m";
  expect(wrapWords(red, 7)).toEqual([red]);
  expect(wrapWords(`see ${"x".repeat(20)}`, 10)).toEqual(["see", "x".repeat(20)]);
});

test("wraps each line of a text and keeps its line breaks", () => {
  expect(wrapText("one two three\n\nfour", 8)).toBe("one two\nthree\n\nfour");
});
