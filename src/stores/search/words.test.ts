import fc from "fast-check";
import { expect, test } from "vitest";
import { joinWords, wordsIn } from "./words.ts";

test("splits a text into words, and ignores case and accents", () => {
  expect(wordsIn("Über_flüge: 2×x").map(({ word }) => word)).toEqual(["uber", "fluge", "2", "x"]);
  expect(wordsIn("don't STOP").map(({ word }) => word)).toEqual(["don", "t", "stop"]);
  expect(wordsIn("ab 東京c")).toEqual([
    { word: "ab", start: 0, end: 2 },
    { word: "東", start: 3, end: 4 },
    { word: "京", start: 4, end: 5 },
    { word: "c", start: 5, end: 6 },
  ]);
  expect(wordsIn("㌀").map(({ word }) => word)).toEqual(["ア", "ハ", "ー", "ト"]);
});

test("joinWords returns the words of any text, separated by spaces", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.lorem());
  const repeated = fc.tuple(text, fc.nat(50)).map(([part, count]) => part.repeat(count));
  fc.assert(
    fc.property(fc.oneof(text, repeated), (given) => {
      const words = wordsIn(given).map(({ word }) => word);
      expect(joinWords(given)).toBe(words.join(" "));
      expect(wordsIn(words.join(" ")).map(({ word }) => word)).toEqual(words);
    }),
  );
});
