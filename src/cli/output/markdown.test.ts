import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { expect, test } from "vitest";
import { displayWidth } from "../text/display-width.ts";
import { MarkdownStream } from "./markdown.ts";

function show(text: string, { columns = 80, pieces = 1, color = false } = {}): string {
  const stream = new MarkdownStream({
    colors: picocolors.createColors(color),
    columns: () => columns,
  });
  const size = Math.ceil(text.length / pieces);
  let shown = "";
  for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
  return shown + stream.flush();
}

const DOCUMENT = `# Title of **it**

Some *words*, \`a * b * c\` and [a link](https://x.test/a_b_c).
snake_case_name and 2 * 3 * 4 stay.

- one
  - two
3. three
- [x] done

> quoted

| Name | 数 |
|------|:--:|
| 日本 | 1 |
| x | \`22\` |

\`\`\`ts
const a = **b**;
| not | a table |
\`\`\`
---
end`;

test("renders headings, lists, quotes and tables, and leaves code unchanged", () => {
  expect(show(DOCUMENT)).toBe(`Title of it

Some words, a * b * c and a link (https://x.test/a_b_c).
snake_case_name and 2 * 3 * 4 stay.

• one
  • two
3. three
• ☑ done

│ quoted

Name │ 数
─────┼───
日本 │ 1
x    │ 22

  ts
  const a = **b**;
  | not | a table |
${"─".repeat(80)}
end`);
});

test("renders the same text however the input is split", () => {
  for (const pieces of [2, 7, DOCUMENT.length])
    expect(show(DOCUMENT, { pieces })).toBe(show(DOCUMENT));
});

test("returns a line as soon as it is complete", () => {
  const stream = new MarkdownStream({ colors: picocolors.createColors(false), columns: () => 80 });
  expect([stream.push("one **tw"), stream.push("o** three\nfour"), stream.flush()]).toEqual([
    "",
    "one two three\n",
    "four",
  ]);
});

test("wraps long lines between words, and indents the later lines of a list item", () => {
  const lines = show(`- ${"漢字 word ".repeat(20)}`, { columns: 40 }).split("\n");
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(40);
  expect(lines.slice(1).every((line) => line.startsWith("  "))).toBe(true);
  expect(show("x".repeat(100), { columns: 40 })).toBe("x".repeat(100));
});

test("right-aligns a column if the row below the header requests it", () => {
  const table = "| file | lines |\n|:--|--:|\n| a.ts | 7 |\n| 漢字.ts | 1200 |\n";
  expect(show(table)).toBe("file    │ lines\n────────┼──────\na.ts    │     7\n漢字.ts │  1200");
});

test("prints one cell per line if a table does not fit", () => {
  const table = "| key | value |\n|---|---|\n| a | some long value that needs room |\n";
  expect(show(table, { columns: 24 })).toBe("key: a\nvalue: some long value\n  that needs room\n");
});

test("renders the same text with and without colors", () => {
  expect(stripVTControlCharacters(show(DOCUMENT, { color: true }))).toBe(show(DOCUMENT));
  expect(show("**a** `b`", { color: true })).toBe("\u001b[1ma\u001b[22m \u001b[36mb\u001b[39m");
});
