import { expect, test } from "vitest";
import { toldResult, toldTool } from "./tools.ts";

const edited = { path: "/work/a.txt", operation: "modify", before: "one", after: "two" };

test.each([
  ["Edit", { file_path: "/work/a.txt", old_string: "one", new_string: "two" }],
  ["edit", { filePath: "a.txt", oldString: "one", newString: "two" }],
  ["edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }],
  ["str_replace", { path: "a.txt", old_str: "one", new_str: "two" }],
])("what %s means to change is told before it is done: %j", (name, input) => {
  expect(toldTool({ name, kind: "edit", input }, "/work")).toMatchObject({
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
] as const)("%j is called %j", (tool, title) => {
  expect(toldTool(tool, "/work").title).toBe(title);
});

const result = { type: "tool_result", callId: "c", output: "", isError: false } as const;

test("a diff of several files and hunks is told change by change", () => {
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
  expect(toldResult({ ...result, diff }, undefined, "/work").edits).toMatchObject([
    { path: "/work/a.txt", operation: "modify", before: "keep\none\n", after: "keep\ntwo\n" },
    { path: "/work/a.txt", operation: "modify", before: "x\n", after: "y" },
    { path: "/work/new.txt", operation: "add", before: "", after: "fresh\n" },
  ]);
});

test("a diff that cannot be read gives way to what the tool was asked for, or is shown as it is", () => {
  const input = { path: "a.txt", oldText: "one", newText: "two" };
  const tool = { callId: "c", ...toldTool({ name: "edit", kind: "edit", input }, "/work") };
  const told = { ...result, diff: "-1 one\n+1 two" };
  expect(toldResult(told, tool, "/work")).toMatchObject({ edits: [edited], text: "" });
  expect(toldResult(told, undefined, "/work")).toMatchObject({
    edits: [],
    text: "```diff\n-1 one\n+1 two\n```",
  });
});

test("output is fenced, whatever fences are in it", () => {
  const output = "```\ncode\n```\n";
  expect(toldResult({ ...result, output }, undefined, "/work").text).toBe(
    "````\n```\ncode\n```\n````",
  );
});

test("a tool that failed changed nothing", () => {
  const input = { path: "a.txt", content: "x" };
  const tool = { callId: "c", ...toldTool({ name: "write", kind: "edit", input }, "/work") };
  expect(toldResult({ ...result, isError: true }, tool, "/work").edits).toEqual([]);
});
