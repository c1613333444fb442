import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { locatePath, type PathScope } from "./path-policy.ts";

let top: string;
let cwd: string;
let scope: PathScope;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "halyard-")));
  cwd = join(top, "work");
  for (const directory of [
    "work/src/deep",
    "work/.git/hooks",
    "elsewhere/deep",
    "home",
    "work/bare/objects",
  ])
    mkdirSync(join(top, directory), { recursive: true });
  writeFileSync(join(cwd, "src/a.ts"), "");
  writeFileSync(join(top, "elsewhere/secret"), "");
  writeFileSync(join(cwd, "bare/HEAD"), "ref: refs/heads/main\n");
  linkSync(join(top, "elsewhere/secret"), join(cwd, "hard.txt"));
  const links = {
    out: join(top, "elsewhere"),
    relative: "../elsewhere",
    dangling: join(top, "elsewhere/not-yet"),
    chain: "out/deep",
    within: "src",
    loop: "loop",
    hooks: ".git/hooks",
    halyard: join(top, "home"),
    process: "/proc/self/cwd",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(cwd, name));
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  scope = { cwd, protectedDirs: [join(top, "home")] };
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

const inside = [
  "src/a.ts",
  "src/new/deeper/b.ts",
  "./src/../src/a.ts",
  "within/a.ts",
  "git/config",
  "src/HEADER.md",
  "src/with space.ts",
  ".github/workflows/ci.yml",
  "hooks-of/x",
];

test.each(inside)("locates %s inside the working directory", (path) => {
  expect(locatePath(path, scope).location).toBe("inside");
  expect(locatePath(join(cwd, path), scope).location).toBe("inside");
});

describe("outside", () => {
  test.each([
    "../elsewhere/secret",
    "/etc/passwd",
    "out/secret",
    "relative/secret",
    "dangling",
    "chain/x",
    "chain/../../elsewhere/x",
    "src/deep/../../../x",
    "missing/../../x",
    "within/../../x",
    "out/../x",
    "loop/x",
    "~/x",
    "~root/x",
    "@~/x",
    "$HOME/x",
    "@../x",
    "@/etc/passwd",
    "file:///etc/passwd",
    " /etc/passwd",
    "'/etc/passwd'",
    "out\\/secret",
    "",
    " ",
    "src/\0a",
    "src/a\n.ts",
    "src/a.ts/../../../x",
    "..",
    "process/src/a.ts",
  ])("locates %j outside the working directory", (path) =>
    expect(locatePath(path, scope).location).toBe("outside"),
  );
});

test.each(["self/cwd", "thread-self/cwd", "self/root", "self/fd/0"])(
  "does not resolve /proc/%s, which is another file in the agent's process",
  (link) => {
    const before = process.cwd();
    process.chdir(cwd); // otherwise the link would always lead outside
    try {
      const path = link.endsWith("root")
        ? `/proc/${link}${cwd}/src/a.ts`
        : `/proc/${link}/src/a.ts`;
      expect(locatePath(path, scope).location).toBe("outside");
    } finally {
      process.chdir(before);
    }
  },
);

describe("protected", () => {
  test.each([
    ".git/hooks/pre-commit",
    ".git",
    ".GIT/config",
    ".Git/config",
    ".g\u200cit/config",
    ".git./config",
    ".git::$INDEX_ALLOCATION/config",
    "GIT~1/config",
    "src/deep/.git/config",
    "hooks/pre-commit",
    ".claude/settings.json",
    ".codex/config.toml",
    ".factory/hooks.json",
    ".opencode/plugin/x.js",
    ".mcp.json",
    ".pi/settings.json",
    ".gastown/runtime.json",
    "halyard.json",
    "opencode.jsonc",
    ".vscode/tasks.json",
    ".husky/pre-commit",
    ".hg/hgrc",
    ".cargo/config.toml",
    "bunfig.toml",
    ".kiro/hooks/x",
    ".GitHub/Hooks/x.json",
    ".envrc",
    ".direnv/flake-profile.rc",
    ".tool-versions",
    "mise.local.toml",
    "lefthook-local.yml",
    ".overcommit.yml",
    ".agent/commands/x",
    ".Rprofile",
    ".irbrc",
    ".ghci",
    ".iex.exs",
    "mise.production.toml",
    ".mise.ci.toml",
    "team.code-workspace",
    ".grok/hooks/x.json",
    ".vim/plugin/x.vim",
    ".bashrc",
    ".zshenv",
    "bare/config",
    "src/HEAD",
    "pipe",
    "hard.txt",
    "halyard/run/x/stdin",
  ])("protects %j", (path) => expect(locatePath(path, scope).location).toBe("protected"));

  test("protects files in Halyard's home, even outside the working directory", () => {
    expect(locatePath(join(top, "home/halyard.db"), scope).location).toBe("protected");
    expect(locatePath("../home/run/ses_1/stdin", scope).location).toBe("protected");
  });
});

test("allows a working directory below Halyard's home, such as a worktree", () => {
  mkdirSync(join(top, "home/worktrees/x"), { recursive: true });
  const worktree = { cwd: join(top, "home/worktrees/x"), protectedDirs: [join(top, "home")] };
  expect(locatePath("src/a.ts", worktree).location).toBe("inside");
  expect(locatePath("../y/a.ts", worktree).location).not.toBe("inside");
});

test("protects Halyard's home if it is the working directory itself", () => {
  const home = join(top, "home");
  const own = { cwd: home, protectedDirs: [home] };
  expect(locatePath("trust.json", own).location).toBe("protected");
});

test("resolves a working directory that is itself a link", () => {
  symlinkSync(cwd, join(top, "alias"));
  const alias = { ...scope, cwd: join(top, "alias") };
  expect(locatePath("src/a.ts", alias)).toEqual({
    location: "inside",
    real: join(cwd, "src/a.ts"),
  });
  expect(locatePath(join(top, "alias/src/a.ts"), alias).location).toBe("inside");
  expect(locatePath(join(cwd, "src/a.ts"), alias).location).toBe("inside");
});
