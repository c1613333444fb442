import { expect, test } from "vitest";
import type { ToolKind } from "../schema/permission.ts";
import { coverOf, findRule } from "./lasting-rules.ts";

const scope = { cwd: process.cwd(), protectedDirs: [] };

function asked(kind: ToolKind, input: unknown, name = "Bash") {
  const tool = { name, kind, input };
  const request = { type: "request", nativeId: "1", kind: "permission", text: "" } as const;
  return { ...request, tool, options: [] };
}

function covers(first: string, later: string): boolean {
  const cover = coverOf(asked("execute", { command: first }), scope);
  const needed = coverOf(asked("execute", { command: later }), scope);
  return (
    cover !== undefined &&
    needed !== undefined &&
    findRule([{ id: "r", ...cover }], needed) !== undefined
  );
}

test("covers only later commands of the same program", () => {
  expect(covers("git status", "git log --oneline 'HEAD'")).toBe(true);
  expect(covers("git status", "rm -rf /")).toBe(false);
  expect(covers("git status", "gitk")).toBe(false);
});

test.each([
  "git status; rm -rf x",
  "git status && rm x",
  "git status & rm x",
  "git status | sh",
  "git status\nrm x",
  "git log > /etc/x",
  "git log < x",
  "git $(rm x)",
  "git `rm x`",
  "git $HOME",
  "GIT_PAGER=rm git log",
  "git log 'x",
  "\\git log",
  "./git log",
  "/usr/bin/git log",
  "{ git log",
  "(git log)",
  "sh -c 'git log'",
  "bash script",
  "env git log",
  "sudo git log",
  "xargs git log",
  "timeout 5 git log",
  "find . -exec rm x",
  "python3 -c 'x'",
  "python3.12 x",
  "node -e x",
  "npx x",
  "eval git",
  "! git log",
  "",
])("offers no rule for %j, and no rule covers it", (command) => {
  expect(coverOf(asked("execute", { command }), scope)).toBeUndefined();
});

test("uses the command without its shell if the adapter provides it", () => {
  const wrapped = asked("execute", { command: "/bin/bash -lc 'git status'" });
  expect(coverOf(wrapped, scope)).toBeUndefined();
  expect(coverOf({ ...wrapped, command: "git status" }, scope)?.program).toBe("git");
});

test("covers edits in the working directory, but not protected files or files elsewhere", () => {
  const edit = (path: string) => coverOf(asked("edit", { path }, "write"), scope);
  expect(edit("src/new.ts")).toEqual({
    tool: "write",
    kind: "edit",
    text: `edits of unprotected files in ${scope.cwd} with write`,
  });
  expect([edit("/etc/x"), edit(".git/hooks/x"), edit("../x")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("covers the host of a URL, and any input of other tools", () => {
  const fetch = (url: string) => coverOf(asked("fetch", { url }, "WebFetch"), scope);
  expect(fetch("https://example.com/a?b")).toMatchObject({ host: "example.com" });
  expect(fetch("nonsense")).toBeUndefined();
  expect(coverOf(asked("other", {}, "mcp__x__y"), scope)?.text).toBe(
    "any use of mcp__x__y, with any input",
  );
});
