import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Workspace } from "../contracts/workspace.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createWorkspaces } from "./workspaces.ts";

const ID = "ses_0123456789abcdef";
const onBefore = async () => {};

async function directory({ isRepository = true } = {}) {
  const top = realpathSync(await temporaryDirectory());
  const root = join(top, "root");
  mkdirSync(root);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: top },
      encoding: "utf8",
      stdio: "pipe",
    });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  if (isRepository) {
    git("init", "-q");
    write("a.txt", "one\n");
    git("add", "--all");
    git("commit", "-qm", "first");
  }
  const env = { ...process.env, HOME: top };
  const workspaces = createWorkspaces({ home: join(top, "home"), env, now: () => new Date() });
  const open = (cwd = root): Promise<Workspace> => workspaces.open(ID, cwd);
  return { top, root, git, write, read, workspaces, open };
}

test("counts the changes since the previous checkpoint, and returns that checkpoint if nothing changed", async () => {
  const { write, open } = await directory();
  const workspace = await open();
  const first = await workspace.checkpoint();
  expect(first).toMatchObject({ files: 0, insertions: 0, deletions: 0, skipped: [] });
  expect(await workspace.checkpoint({ after: first.commit })).toEqual(first);
  write("a.txt", "two\nthree\n");
  write("b.txt", "new\n");
  const second = await workspace.checkpoint({ after: first.commit });
  expect(second).toEqual({
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    files: 2,
    insertions: 3,
    deletions: 1,
    skipped: [],
  });
});

test("compares checkpoints with each other and with the current files", async () => {
  const { root, git, write, open } = await directory();
  write("long.txt", "the same line\n".repeat(20));
  write("data", "a\0b");
  const workspace = await open();
  const { commit: from } = await workspace.checkpoint();
  git("mv", "a.txt", "moved.txt");
  rmSync(join(root, "data"));
  write("new.txt", "line\n");
  const { commit: to } = await workspace.checkpoint({ after: from });
  rmSync(join(root, "long.txt"));
  symlinkSync("new.txt", join(root, "long.txt"));
  const changes = await workspace.changes(from, to);
  expect(changes).toMatchObject({ root, from, to, insertions: 1, deletions: 0, truncated: false });
  const text = { insertions: 0, deletions: 0, binary: false };
  expect(changes.files).toEqual([
    { ...text, path: "data", status: "deleted", binary: true },
    { ...text, path: "moved.txt", from: "a.txt", status: "renamed" },
    { ...text, path: "new.txt", status: "added", insertions: 1 },
  ]);
  expect(changes.diff).toContain("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+line\n");
  const present = await workspace.changes(to, undefined);
  expect(present.files.map(({ path, status }) => [path, status])).toEqual([
    ["long.txt", "type_changed"],
  ]);
});

test("skips and lists large files, and does not change them in a restore", async () => {
  const { root, write, read, open } = await directory();
  write("large", "");
  truncateSync(join(root, "large"), 51 * 1024 * 1024);
  write("grows", "small");
  const workspace = await open();
  const first = await workspace.checkpoint();
  expect(first.skipped).toEqual([{ path: "large", reason: "too_large" }]);
  write("large", "small now");
  truncateSync(join(root, "grows"), 51 * 1024 * 1024);
  const second = await workspace.checkpoint({ after: first.commit });
  expect(second.skipped).toEqual([{ path: "grows", reason: "too_large" }]);
  const rewound = await workspace.restore(first.commit, { after: second.commit, onBefore });
  expect(rewound.kept).toEqual(["grows", "large"]);
  expect(read("large")).toBe("small now");
  expect(statSync(join(root, "grows")).size).toBe(51 * 1024 * 1024);
});

test("records a nested repository's commit, and never touches its files", async () => {
  const { root, open } = await directory();
  const nested = join(root, "nested");
  execFileSync("git", ["clone", "-q", root, nested], { stdio: "pipe" });
  execFileSync("git", ["init", "-q", join(root, "empty")]);
  const workspace = await open();
  const first = await workspace.checkpoint();
  expect(first.skipped).toEqual([
    { path: "empty", reason: "repository" },
    { path: "nested", reason: "repository" },
  ]);
  writeFileSync(join(nested, "a.txt"), "changed\n");
  execFileSync("git", ["clone", "-q", nested, join(root, "later")], { stdio: "pipe" });
  await workspace.restore(first.commit, { after: first.commit, onBefore });
  expect(readFileSync(join(nested, "a.txt"), "utf8")).toBe("changed\n");
  expect(readdirSync(join(root, "later")).sort()).toEqual([".git", "a.txt"]);
});

test("skips and lists files whose names git does not accept", async () => {
  const { root, write, open } = await directory();
  mkdirSync(join(root, ".GIT"));
  write(".GIT/config", "[core]\n");
  write("git~1", "x");
  const { skipped } = await (await open()).checkpoint();
  expect(skipped).toEqual([
    { path: ".GIT/config", reason: "name" },
    { path: "git~1", reason: "name" },
  ]);
});

test("keeps a file that the restored checkpoint ignored, and restores both versions of a file that only later rules ignore", async () => {
  const { write, read, open } = await directory();
  write(".gitignore", "was-ignored\n");
  write("was-ignored", "precious");
  write("is-ignored", "first");
  const workspace = await open();
  const first = await workspace.checkpoint();
  write(".gitignore", "is-ignored\n");
  const second = await workspace.checkpoint({ after: first.commit });
  write("is-ignored", "second");
  const rewound = await workspace.restore(first.commit, { after: second.commit, onBefore });
  expect([read("was-ignored"), read("is-ignored")]).toEqual(["precious", "first"]);
  expect(rewound.kept).toEqual(["was-ignored"]);
  await workspace.restore(rewound.before, { after: rewound.commit, onBefore });
  expect([read("was-ignored"), read("is-ignored")]).toEqual(["precious", "second"]);
});

test("preserves the permissions of a file that it restores", async () => {
  const { root, write, open } = await directory();
  write("secret", "one");
  chmodSync(join(root, "secret"), 0o600);
  const workspace = await open();
  const { commit } = await workspace.checkpoint();
  write("secret", "two");
  await workspace.restore(commit, { after: commit, onBefore });
  expect(statSync(join(root, "secret")).mode & 0o777).toBe(0o600);
});

test("rejects a restore while a file changes, and changes nothing", async () => {
  const { write, read, open } = await directory();
  const workspace = await open();
  const { commit } = await workspace.checkpoint();
  write("a.txt", "two\n");
  write("b.txt", "new\n");
  const restoring = workspace.restore(commit, {
    after: commit,
    onBefore: async () => write("a.txt", "three, meanwhile\n"),
  });
  await expect(restoring).rejects.toMatchObject({ code: "workspace_failed" });
  expect([read("a.txt"), read("b.txt")]).toEqual(["three, meanwhile\n", "new\n"]);
});

test("restores files byte by byte even if attributes convert line endings or name a filter", async () => {
  const { git, write, read, open } = await directory();
  git("config", "filter.upper.clean", "tr a-z A-Z");
  write(".gitattributes", "*.txt text eol=lf\n*.md filter=upper\n");
  write("a.txt", "one\r\ntwo\r\n");
  write("b.md", "lower case $Id$\n");
  const workspace = await open();
  const { commit } = await workspace.checkpoint();
  write("a.txt", "other\n");
  write("b.md", "other\n");
  await workspace.restore(commit, { after: commit, onBefore });
  expect([read("a.txt"), read("b.md")]).toEqual(["one\r\ntwo\r\n", "lower case $Id$\n"]);
});

test("records, restores and removes checkpoints despite a lost index and locks that a killed process left", async () => {
  const { top, root, git, write, read, workspaces, open } = await directory();
  const { commit } = await (await open()).checkpoint();
  const own = join(top, "home", "workspaces", ID);
  writeFileSync(join(own, "index.left"), "");
  writeFileSync(join(own, "index.left.lock"), "");
  writeFileSync(join(root, ".git", "refs", "halyard", ID, "2.lock"), "");
  write("a.txt", "two\n");
  const second = await (await open()).checkpoint({ after: commit });
  expect(second).toMatchObject({ files: 1 });
  rmSync(join(own, "index"));
  const workspace = await open();
  await workspace.restore(commit, { after: second.commit, onBefore });
  expect(read("a.txt")).toBe("one\n");
  writeFileSync(join(root, ".git", "refs", "halyard", ID, "1.lock"), "");
  await workspaces.remove(ID);
  expect(git("for-each-ref", "refs/halyard")).toBe("");
});

test("keeps checkpoints when the user runs git gc, and releases them on removal", async () => {
  const { top, git, write, workspaces, open } = await directory();
  const workspace = await open();
  const first = await workspace.checkpoint();
  write("a.txt", "two\n");
  const second = await workspace.checkpoint({ after: first.commit });
  git("gc", "-q", "--prune=now");
  expect((await workspace.changes(first.commit, second.commit)).files).toHaveLength(1);
  await workspaces.remove(ID);
  expect(git("for-each-ref", "refs/halyard")).toBe("");
  git("gc", "-q", "--prune=now");
  expect(() => git("cat-file", "-e", second.commit)).toThrow();
  expect(existsSync(join(top, "home", "workspaces", ID))).toBe(false);
  await workspaces.remove(ID);
});

test("records the whole repository from a subdirectory, but only the subdirectory if the repository ignores it", async () => {
  const { root, write, open } = await directory();
  mkdirSync(join(root, "below"));
  expect((await open(join(root, "below"))).root).toBe(root);
  const other = await directory();
  other.write(".gitignore", "below/\n");
  mkdirSync(join(other.root, "below"));
  other.write("below/file", "one");
  write("unrelated", "");
  const workspace = await other.open(join(other.root, "below"));
  expect(workspace.root).toBe(join(other.root, "below"));
});

test("never records Halyard's home, and honors the user's ignore rules", async () => {
  const { top, root, write } = await directory({ isRepository: false });
  mkdirSync(join(top, ".config", "git"), { recursive: true });
  writeFileSync(join(top, ".config", "git", "ignore"), "*.swp\n");
  write("a.swp", "x");
  write("b", "x");
  const env = { ...process.env, HOME: top };
  const home = join(root, "own home");
  const workspace = await createWorkspaces({ home, env, now: () => new Date() }).open(ID, root);
  const { commit } = await workspace.checkpoint();
  rmSync(join(root, "b"));
  const { files } = await workspace.changes(commit, undefined);
  expect(files.map(({ path }) => path)).toEqual(["b"]);
});

test("does not record a home directory, a missing directory, or too much data outside a repository", async () => {
  const { top, root, write, open } = await directory({ isRepository: false });
  const failed = (reason: string) => ({
    code: "workspace_failed",
    message: expect.stringContaining(reason),
  });
  await expect(open(top)).rejects.toMatchObject(failed("contains a home directory"));
  await expect(open("/")).rejects.toMatchObject(failed("contains a home directory"));
  await expect(open(join(top, "missing"))).rejects.toMatchObject(failed("does not exist"));
  for (let at = 0; at < 30; at++) {
    write(`${at}`, "");
    truncateSync(join(root, `${at}`), 9 * 1024 * 1024);
  }
  const workspace = await open();
  await expect(workspace.checkpoint()).rejects.toMatchObject(failed("the limit of 256 MiB"));
});

test("explains how to install git if it is missing", async () => {
  const { top, root } = await directory();
  const workspaces = createWorkspaces({
    home: join(top, "home"),
    env: { PATH: "/nonexistent" },
    now: () => new Date(),
  });
  await expect(workspaces.open(ID, root)).rejects.toMatchObject({
    code: "workspace_failed",
    message: expect.stringContaining("Install git 2.30 or later"),
  });
});

test("records changes that another process has already compared with the last checkpoint", async () => {
  const { write, open } = await directory();
  const [owner, reader] = [await open(), await open()];
  const first = await owner.checkpoint();
  await owner.checkpoint({ after: first.commit });
  write("a.txt", "two\n");
  expect((await reader.changes(first.commit, undefined)).files).toHaveLength(1);
  expect(await owner.checkpoint({ after: first.commit })).toMatchObject({ files: 1 });
});
