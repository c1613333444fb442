import { describe, expect, test } from "vitest";
import { cleanText, visibleText } from "./clean.ts";
import { parseDiff } from "./diff.ts";
import { editDiff } from "./edit-diff.ts";
import { highlight } from "./highlight.ts";
import { parseInline } from "./inline.ts";
import { parseBlocks } from "./markdown.ts";

describe("Markdown blocks", () => {
  test("parses headings, lists, code, quotes and tables", () => {
    const text = [
      "# Title",
      "One",
      "line",
      "",
      "- a",
      "  - b",
      "- [x] c",
      "",
      "```ts",
      "# no heading",
      "```",
      "> said",
      "",
      "| a | b |",
      "|---|---|",
      "| 1 | 2 |",
    ].join("\n");
    const paragraph = (words: string) => ({ kind: "paragraph", text: words });
    expect(parseBlocks(text)).toEqual([
      { kind: "heading", level: 1, text: "Title" },
      paragraph("One\nline"),
      {
        kind: "list",
        start: undefined,
        items: [
          {
            blocks: [
              paragraph("a"),
              { kind: "list", start: undefined, items: [{ blocks: [paragraph("b")] }] },
            ],
          },
          { blocks: [paragraph("c")], isChecked: true },
        ],
      },
      { kind: "code", language: "ts", text: "# no heading" },
      { kind: "quote", blocks: [paragraph("said")] },
      {
        kind: "table",
        rows: [
          ["a", "b"],
          ["1", "2"],
        ],
      },
    ]);
  });

  test("shows a code block that is not closed yet, for example while it streams", () => {
    expect(parseBlocks("```sh\nnpm te")).toEqual([
      { kind: "code", language: "sh", text: "npm te" },
    ]);
  });

  test("parses deeply nested input without a stack overflow", () => {
    expect(parseBlocks(`${">".repeat(5000)} x`)).toHaveLength(1);
    expect(parseBlocks(`${"- ".repeat(5000)}x`)).toHaveLength(1);
  });
});

describe("Markdown lines", () => {
  test("parses code, emphasis and links", () => {
    expect(parseInline("a `**b**` **c _d_** [e](https://x.test/f_(g)) https://y.test.")).toEqual([
      { kind: "text", text: "a " },
      { kind: "code", text: "**b**" },
      { kind: "text", text: " " },
      {
        kind: "strong",
        parts: [
          { kind: "text", text: "c " },
          { kind: "emphasis", parts: [{ kind: "text", text: "d" }] },
        ],
      },
      { kind: "text", text: " " },
      { kind: "link", href: "https://x.test/f_(g)", parts: [{ kind: "text", text: "e" }] },
      { kind: "text", text: " " },
      { kind: "link", href: "https://y.test", parts: [{ kind: "text", text: "https://y.test" }] },
      { kind: "text", text: "." },
    ]);
  });

  test.each(["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "vbscript:x", "//x.test"])(
    "shows a link to %s as text",
    (href) => {
      expect(parseInline(`[x](${href})`).every(({ kind }) => kind === "text")).toBe(true);
    },
  );

  test("does not treat underscores in names or multiplication signs as emphasis", () => {
    const text = "snake_case_name and 2 * 3 * 4";
    expect(parseInline(text)).toEqual([{ kind: "text", text }]);
  });
});

describe("diffs", () => {
  const diff = [
    "diff --git a/a.ts b/a.ts",
    "--- a/a.ts",
    "+++ b/a.ts",
    "@@ -5,3 +5,3 @@ title",
    " same",
    "-const old = 1;",
    "+const new = 1;",
    " end",
    "--- a/b.ts",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "--- a line that looks like a header",
    "",
  ].join("\n");

  test("numbers the lines, marks the words that differ, and separates files", () => {
    expect(parseDiff(diff)).toEqual([
      {
        path: "a.ts",
        insertions: 1,
        deletions: 1,
        lines: [
          { kind: "hunk", text: "title" },
          { kind: "same", text: "same", oldNumber: 5, newNumber: 5 },
          { kind: "removed", text: "const old = 1;", oldNumber: 6, marks: [[6, 9]] },
          { kind: "added", text: "const new = 1;", newNumber: 6, marks: [[6, 9]] },
          { kind: "same", text: "end", oldNumber: 7, newNumber: 7 },
        ],
      },
      {
        path: "b.ts",
        insertions: 0,
        deletions: 1,
        lines: [{ kind: "removed", text: "-- a line that looks like a header", oldNumber: 1 }],
      },
    ]);
  });

  const outline = (input: object) =>
    editDiff(input)?.files.map(({ lines }) =>
      lines.map(({ kind, text }) => `${signs[kind]}${text}`),
    );
  const signs = { same: " ", added: "+", removed: "-", hunk: "@" };

  test("shows the input of an edit tool as a diff", () => {
    const replaced = [[" a", "-b", "+B", "+C", " d"]];
    const [before, after] = ["a\nb\nd", "a\nB\nC\nd"];
    for (const input of [
      { file_path: "x", old_string: before, new_string: after },
      { path: "x", old_str: before, new_str: after },
      { filePath: "x", oldString: before, newString: after },
      { path: "x", edits: [{ oldText: before, newText: after }] },
    ])
      expect(outline(input)).toEqual(replaced);
    expect(outline({ path: "x", diff: "@@ -1 +1 @@\n-a\n+b\n" })).toEqual([["-a", "+b"]]);
    expect(outline({ file_path: "x", content: "a\nb\n" })).toEqual([["+a", "+b"]]);
    const two = [
      { oldText: "a", newText: "b" },
      { oldText: "c", newText: "" },
    ];
    expect(outline({ edits: two })).toEqual([["-a", "+b", "@", "-c"]]);
  });

  test("shows no diff for an input in an unknown format", () => {
    expect(editDiff({ path: "x", edits: [{ line: 1 }] })).toBeUndefined();
    expect(editDiff({ path: "x", diff: "no hunks" })).toBeUndefined();
  });
});

test("highlighting preserves every character", () => {
  const code = "const a = `x`; // end\n# 'no' /* open";
  for (const language of ["ts", "sh", ""])
    expect(
      highlight(code, language)
        .map(({ text }) => text)
        .join(""),
    ).toBe(code);
});

test("removes escape sequences, and shows the invisible characters in commands", () => {
  expect(cleanText("\u001b[31mred\u001b[0m 10%\r20%\r\nend\u0007")).toBe("20%\nend");
  expect(visibleText("rm \u202efoo")).toBe("rm \\u202efoo");
});
