import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ToolKind } from "../schema/permission.ts";
import { judge } from "./judge.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "halyard-")));
mkdirSync(join(cwd, "src"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const scope = { cwd, protectedDirs: [] };

function asked(kind: ToolKind, input: unknown, paths?: readonly string[]) {
  const tool = { name: "tool", kind, input };
  return { kind: "permission", tool, ...(paths && { paths }) } as const;
}

test.each([
  ["one file", { file_path: "src/a.ts", content: "see /etc/passwd" }],
  ["several files", { path: ["src/a.ts", "src/b.ts"], diff: "--- /etc/passwd" }],
  ["a patch", { input: "*** Begin Patch\n*** Add File: src/a.ts\n+x\n*** End Patch" }],
  ["edits of several files", { edits: [{ filePath: "src/a.ts" }, { filePath: "src/b.ts" }] }],
  ["a notebook", { notebook_path: join(cwd, "a.ipynb"), new_source: "rm" }],
])("allow-edits allows an edit of %s inside the working directory", (_, input) => {
  expect(judge("allow-edits", asked("edit", input), scope)).toEqual({ verdict: "allow" });
});

test.each([
  ["no path", { content: "x" }],
  ["an unknown path", { file_path: 3 }],
  ["a path outside", { file_path: "../x" }],
  ["one of several paths outside", { path: ["src/a.ts", "/etc/passwd"] }],
  [
    "a patch that moves a file away",
    { patchText: "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: ../x\n*** End Patch" },
  ],
  ["a patch in another format", { patch: "--- a/x\n+++ b/x\n" }],
  [
    "a patch with an unknown directive",
    { input: "*** Begin Patch\n*** Add File: a\n*** Link File: b\n*** End Patch" },
  ],
  ["a move", { path: "src/a.ts", destination: "/etc/x" }],
  ["no input", undefined],
])("allow-edits asks about an edit with %s, with a reason", (_, input) => {
  expect(judge("allow-edits", asked("edit", input), scope)).toEqual({
    verdict: "ask",
    reason: expect.any(String),
  });
});

test.each([
  ["a line", { command: "cat x" }],
  ["one word", { command: "ls" }],
  ["words", { command: ["bash", "-lc", "cat x"], path: "x" }],
  ["a line beside a path", { cmd: "cat x; rm y", path: "x" }],
])(
  "judges an input with a command as a command, even if the agent reports a read or a search: %s",
  (_, input) => {
    expect(judge("allow-edits", asked("read", input), scope)).toEqual({ verdict: "ask" });
    expect(judge("deny", asked("search", input), scope)).toEqual({ verdict: "deny" });
  },
);

test("allows a read whose input contains an action name beside the path", () => {
  const input = { command: "view", path: "src/a.ts" };
  expect(judge("deny", asked("read", input), scope)).toEqual({ verdict: "allow" });
});

test("allow-edits also checks the paths that the adapter provides", () => {
  expect(judge("allow-edits", asked("edit", {}, ["src/a.ts"]), scope).verdict).toBe("allow");
  expect(judge("allow-edits", asked("edit", { path: "a" }, ["/etc/x"]), scope).verdict).toBe("ask");
});

test.each([
  [
    "deny",
    { read: "allow", search: "allow", edit: "deny", execute: "deny", fetch: "deny", other: "deny" },
  ],
  [
    "ask",
    { read: "allow", search: "allow", edit: "ask", execute: "ask", fetch: "ask", other: "ask" },
  ],
  [
    "allow-edits",
    { read: "allow", search: "allow", edit: "allow", execute: "ask", fetch: "ask", other: "ask" },
  ],
  [
    "allow-all",
    {
      read: "allow",
      search: "allow",
      edit: "allow",
      execute: "allow",
      fetch: "allow",
      other: "allow",
    },
  ],
] as const)("returns the verdict of the policy %s for each kind of tool", (policy, verdicts) => {
  for (const kind of ToolKind.options)
    expect(judge(policy, asked(kind, { path: "src/a.ts" }), scope).verdict).toBe(verdicts[kind]);
});
