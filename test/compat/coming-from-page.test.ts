import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("docs/coming-from.md contains only code from the examples that CI runs", () => {
  const page = read("docs/coming-from.md");
  const blocks = [...page.matchAll(/^```js\n([\s\S]*?)\n```$/gm)].map(([, code = ""]) => code);
  const names = readdirSync(new URL("../../examples/", import.meta.url));
  const examples = names
    .filter((name) => name.endsWith("-facade.mjs"))
    .map((name) => read(`examples/${name}`));
  expect(blocks).toHaveLength(3);
  expect(blocks.filter((code) => !examples.some((example) => example.includes(code)))).toEqual([]);
});
