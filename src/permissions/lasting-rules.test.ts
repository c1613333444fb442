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

test("covers only later commands that run the same program", () => {
  expect(covers("ls -a", "ls --color 'src'")).toBe(true);
  expect(covers("ls", "rm -rf /")).toBe(false);
  expect(covers("ls", "lsof")).toBe(false);
});

test("covers only later commands with the same git subcommand", () => {
  expect(covers("git log", "git log --oneline 'HEAD'")).toBe(true);
  expect(covers("git commit", "git commit -m 'a message'")).toBe(true);
  expect(covers("git log", "git push --force")).toBe(false);
  expect(coverOf(asked("execute", { command: "git log -3" }), scope)?.text).toBe(
    'any "git log" command with Bash',
  );
});

test.each([
  ["git log", "git -c core.pager=./evil -p log"],
  ["git log", "git -c alias.log=!./evil log"],
  ["git log", "git --exec-path=/tmp/evil log"],
  ["git log", "git -C /tmp/evil log"],
  ["git log", "git log --output=.git/hooks/pre-commit"],
  ["git log", "git log -'-out'=.git/hooks/pre-commit"],
  ["git log", "git log -*=/home/user/other/Makefile"],
  ["git fetch", "git fetch --upload-pack=./evil origin"],
  ["git rebase main", "git rebase --exec ./evil main"],
  ["git bisect start", "git bisect run ./evil"],
  ["git grep x", "git grep -O./evil x"],
  ["npm test", "npm exec evil"],
  ["npm test", "npm --prefix /tmp/evil test"],
  ["npm test", "npm test --script-shell=./evil"],
  ["make", "make -f /tmp/evil"],
  ["make test", "make test SHELL=./evil"],
  ["cargo test", "cargo run"],
  ["go test", "go run evil.go"],
  ["tar -tf a.tar", "tar -cf /dev/null x --checkpoint=1 --checkpoint-action=exec=./evil"],
  ["rsync a b", "rsync -e ./evil a b"],
  ["rg x", "rg --pre ./evil x"],
  ["pytest", "pytest /tmp/evil.py"],
  ["pip3 list", "pip3 install ./evil"],
  ["gcc-12 a.c", "gcc-12 -wrapper ./evil a.c"],
  ["g++ a.cc", "g++ -fplugin=./evil.so a.cc"],
  ["install a b", "install -s --strip-program=./evil a b"],
  ["pylint src", "pylint --init-hook 'import evil'"],
  ["zig build", "zig run evil.zig"],
  ["pandoc a.md", "pandoc --filter ./evil a.md"],
  ["rm a.txt", "rm -rf /home/user"],
  ["cp a b", "cp a /home/user/.bashrc"],
  ["tee a", "tee .git/hooks/pre-commit"],
  ["uniq a", "uniq a .git/hooks/pre-commit"],
  ["kill 123", "kill -9 1"],
  ["LS", "LS -a"],
  ["an-unknown-program", "an-unknown-program --plugin ./evil"],
])("an answer to %j covers the same command, but not %j", (first, later) => {
  expect(covers(first, first)).toBe(true);
  expect(covers(first, later)).toBe(false);
  const text = coverOf(asked("execute", { command: first }), scope)?.text;
  if (first !== "git log") expect(text).toBe(`the command "${first}" with Bash`);
});

test.each(["taskset 1 ls", "ssh-agent ls", "gtimeout 5 ls", "cross-env A=1 ls", "nu -c ls"])(
  "an answer to %j covers no later command, because the program can run any other program",
  (command) => {
    expect(coverOf(asked("execute", { command }), scope)).toBeUndefined();
  },
);

test("treats a tool of an unknown kind that runs a command as a command", () => {
  const cover = coverOf(asked("other", { command: "ls -a" }, "terminal"), scope);
  expect(cover).toMatchObject({ kind: "execute", program: "ls" });
  expect(coverOf(asked("other", { command: "ls; rm x" }, "terminal"), scope)).toBeUndefined();
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
  "Python -c x",
  "tsx x.ts",
  "Rscript -e x",
  "nix-shell --run x",
  "git\u00a0log",
  "eval git",
  "! git log",
  "",
])("offers no rule for %j", (command) => {
  expect(coverOf(asked("execute", { command }), scope)).toBeUndefined();
});

test("uses the command without its shell if the adapter provides it", () => {
  const wrapped = asked("execute", { command: "/bin/bash -lc 'git status'" });
  expect(coverOf(wrapped, scope)).toBeUndefined();
  expect(coverOf({ ...wrapped, command: "git status" }, scope)?.program).toBe("git status");
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

test("covers a URL's host, and any input for other tools", () => {
  const fetch = (url: string) => coverOf(asked("fetch", { url }, "WebFetch"), scope);
  expect(fetch("https://example.com/a?b")).toMatchObject({ host: "example.com" });
  expect(fetch("nonsense")).toBeUndefined();
  expect(coverOf(asked("other", {}, "mcp__x__y"), scope)?.text).toBe(
    "any use of mcp__x__y, with any input",
  );
});
