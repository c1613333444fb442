import { expect, test } from "vitest";
import { toReportedResult, toReportedTool } from "./tools.ts";

const edited = { path: "/work/a.txt", operation: "modify", before: "one", after: "two" };

test.each([
  ["Edit", { file_path: "/work/a.txt", old_string: "one", new_string: "two" }],
  ["edit", { filePath: "a.txt", oldString: "one", newString: "two" }],
  ["edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }],
  ["str_replace", { path: "a.txt", old_str: "one", new_str: "two" }],
])("returns the changes that a call to %s will make: %j", (name, input) => {
  expect(toReportedTool({ name, kind: "edit", input }, "/work")).toMatchObject({
    title: `${name} a.txt`,
    paths: ["/work/a.txt"],
    edits: [edited],
  });
});

test.each([
  [{ name: "shell", kind: "execute", input: { command: "npm test" } }, "npm test"],
  [{ name: "shell", kind: "execute", input: { command: ["ls", "-l"] } }, "ls -l"],
  [{ name: "Grep", kind: "search", input: { pattern: "foo", path: "src" } }, "Grep foo"],
  [{ name: "fetch", kind: "fetch", input: { url: "http://a" } }, "fetch http://a"],
  [{ name: "odd", kind: "other", input: 7 }, "odd"],
] as const)("gives the tool call %j the title %j", (tool, title) => {
  expect(toReportedTool(tool, "/work").title).toBe(title);
});

const result = { type: "tool_result", callId: "c", output: "", isError: false } as const;

test("returns one change per diff hunk", () => {
  const diff = `--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 keep
-one
+two
@@ -9 +9 @@
-x
+y
\\ No newline at end of file
--- /dev/null
+++ /work/new.txt
@@ -0,0 +1 @@
+fresh
`;
  expect(toReportedResult({ ...result, diff }, undefined, "/work").edits).toMatchObject([
    { path: "/work/a.txt", operation: "modify", before: "keep\none\n", after: "keep\ntwo\n" },
    { path: "/work/a.txt", operation: "modify", before: "x\n", after: "y" },
    { path: "/work/new.txt", operation: "add", before: "", after: "fresh\n" },
  ]);
});

test("uses the tool's input if a diff cannot be parsed, and shows the diff as text if the input is unknown too", () => {
  const input = { path: "a.txt", oldText: "one", newText: "two" };
  const tool = { callId: "c", ...toReportedTool({ name: "edit", kind: "edit", input }, "/work") };
  const event = { ...result, diff: "-1 one\n+1 two" };
  expect(toReportedResult(event, tool, "/work")).toMatchObject({ edits: [edited], text: "" });
  expect(toReportedResult(event, undefined, "/work")).toMatchObject({
    edits: [],
    text: "```diff\n-1 one\n+1 two\n```",
  });
});

test("wraps output that contains a code fence in a longer fence", () => {
  const output = "```\ncode\n```\n";
  expect(toReportedResult({ ...result, output }, undefined, "/work").text).toBe(
    "````\n```\ncode\n```\n````",
  );
});

test("returns no changes for a failed tool", () => {
  const input = { path: "a.txt", content: "x" };
  const tool = { callId: "c", ...toReportedTool({ name: "write", kind: "edit", input }, "/work") };
  expect(toReportedResult({ ...result, isError: true }, tool, "/work").edits).toEqual([]);
});
