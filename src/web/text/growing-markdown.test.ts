import fc from "fast-check";
import { expect, test } from "vitest";
import { GrowingMarkdown } from "./growing-markdown.ts";
import { parseBlocks } from "./markdown.ts";

const pieces = fc.array(
  fc.constantFrom(
    ..."a,b c,#,# ,\n,\n\n, ,  ,-,- ,--,---,1. ,>,> ,|,a | b,|--|--|,`,```,```ts\n,*,[x] ,\n- ,\n  - ".split(
      ",",
    ),
  ),
  { maxLength: 40 },
);

test("parses a growing text like the complete text, however it is split", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const growing = new GrowingMarkdown();
      let text = "";
      for (const part of parts) {
        text += part;
        expect(growing.parse(text)).toEqual(parseBlocks(text));
      }
    }),
    { numRuns: 500 },
  );
});

test("reparses only the end of a long text", () => {
  const growing = new GrowingMarkdown();
  const text = "# Title\n\nOne\n\nTwo\n\nThree";
  const before = growing.parse(text);
  const after = growing.parse(`${text} and more\n\nFour`);
  expect(after.map((block, index) => block === before[index])).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("reparses a replaced text from its start", () => {
  const growing = new GrowingMarkdown();
  growing.parse("# One\n\ntext\n\nmore");
  expect(growing.parse("Two")).toEqual(parseBlocks("Two"));
});
