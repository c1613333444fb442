import { expect, test } from "vitest";
import { listInWords } from "./list-in-words.ts";

test.each([
  [["a"], "or", "a"],
  [["a", "b"], "or", "a or b"],
  [["a", "b", "c"], "or", "a, b or c"],
  [["a", "b", "c"], "and", "a, b and c"],
] as const)("joins %j with %j", (names, word, text) => {
  expect(listInWords(names, word)).toBe(text);
});
