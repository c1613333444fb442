import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newRepository } from "../../../test/workspace/repository.ts";
import { writeJsonFile } from "../../config/json/write-json.ts";
import { createConfigReader } from "../../config/reader.ts";
import { createHalyard } from "../../create-halyard.ts";
import type { HalyardOptions } from "../../halyard-options.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

async function openScene(files?: Readonly<Record<string, string>>, options: HalyardOptions = {}) {
  const repository = await newRepository(files);
  const home = await temporaryDirectory();
  const env = { PATH: process.env.PATH };
  const adapters = [fakeAdapter({ env })];
  const config = createConfigReader({ env, home });
  const halyard = await createHalyard({ home, env, adapters, config, ...options });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const request = { runtime: "fake", cwd: repository.root, permissions: "allow-all" } as const;
  return { ...repository, home, halyard, request };
}

test("runs a session in a worktree on its own branch, and does not change the user's working tree", async () => {
  const { root, git, gitIn, halyard, request, home } = await openScene();
  const before = await git("status", "--porcelain", "--branch");
  const session = await halyard.start({ ...request, worktree: true });
  const { cwd, worktree } = session.info;
  const branch = `halyard/${session.id.slice(4, 12)}`;
  expect(worktree).toEqual({
    path: cwd,
    branch,
    base: await git("rev-parse", "HEAD"),
    origin: root,
    portBase: 20_000,
  });
  expect(cwd).toMatch(new RegExp(`/worktrees/shop-[0-9a-f]{6}/${session.id.slice(4, 12)}$`));
  expect(cwd.startsWith(home)).toBe(true);
  await session.send(`tool write ${cwd}/b.txt new; echo-env HALYARD_PORT_BASE`).outcome;
  expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("new");
  expect(await gitIn(cwd, "branch", "--show-current")).toBe(branch);
  expect(await git("status", "--porcelain", "--branch")).toBe(before);
  expect(await readdir(root)).toEqual([".git", "a.txt"]);
});

test("passes the same ports to a resumed session, and other ports to the next worktree", async () => {
  const { halyard, request } = await openScene();
  const first = await halyard.start({ ...request, worktree: true });
  const second = await halyard.start({ ...request, worktree: true });
  expect(second.info.worktree?.portBase).toBe(20_010);
  await second.send("say hi").outcome;
  await second.stop();
  const resumed = await halyard.resume(second.id);
  const ports = "echo-env HALYARD_PORT_BASE; echo-env HALYARD_PORT_COUNT";
  expect(await resumed.send(ports).outcome).toMatchObject({ text: "10" });
  expect(await resumed.send("echo-env HALYARD_PORT_BASE").outcome).toMatchObject({ text: "20010" });
  expect(await first.send("echo-env HALYARD_PORT_BASE").outcome).toMatchObject({ text: "20000" });
});

test("starts in the same subdirectory of the worktree, even if git does not track it", async () => {
  const { root, write, halyard, request } = await openScene({ "packages/web/x": "1" });
  await write("untracked/y", "1");
  for (const directory of ["packages/web", "untracked"]) {
    const cwd = join(root, directory);
    const { info } = await halyard.start({ ...request, cwd, worktree: true });
    expect(info.cwd).toBe(join(info.worktree?.path ?? "", directory));
    expect((await stat(info.cwd)).isDirectory()).toBe(true);
  }
});

test("continues an existing branch, or creates one at the base", async () => {
  const { git, commit, halyard, request } = await openScene();
  const base = await git("rev-parse", "HEAD");
  await git("branch", "fix/login");
  const head = await commit("a.txt", "two\n");
  const old = await halyard.start({ ...request, worktree: { branch: "fix/login" } });
  expect(old.info.worktree).toMatchObject({ branch: "fix/login", base });
  const named = await halyard.start({ ...request, worktree: { branch: "next", base: "main" } });
  expect(named.info.worktree).toMatchObject({ branch: "next", base: head });
});

test.each([
  [{ branch: "fix", base: "main" }, /the branch fix already exists, so it cannot start at main/],
  [{ branch: "main" }, /the branch main cannot be checked out: .*already/],
  [{ base: "nowhere" }, /has no commit nowhere/],
  [{ branch: "a..b" }, /the name of a branch/],
  [{ base: "--output=x" }, /a commit, a tag or a branch/],
])("rejects %j and leaves nothing behind", async (worktree, message) => {
  const { git, home, halyard, request } = await openScene();
  await git("branch", "fix");
  const refs = await git("for-each-ref", "refs/heads");
  await expect(halyard.start({ ...request, worktree })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(message),
  });
  expect(await git("for-each-ref", "refs/heads")).toBe(refs);
  expect(await git("worktree", "list", "--porcelain")).not.toContain(home);
  expect(await halyard.worktrees()).toEqual([]);
  expect(await halyard.sessions()).toEqual([]);
});

test("rejects a directory that is not in a repository", async () => {
  const { halyard, request } = await openScene();
  const cwd = await temporaryDirectory();
  await expect(halyard.start({ ...request, cwd, worktree: true })).rejects.toThrow(
    /is not in the working tree of a git repository/,
  );
});

const setUp = {
  copy: [".env", "missing", "a.txt"],
  setup: ["sh", "-c", 'echo "$HALYARD_PORT_BASE" > setup.txt'],
};

test("copies the configured files and runs the setup command of a trusted repository", async () => {
  const files = { ".gitignore": ".env\nsetup.txt\n", "a.txt": "one\n" };
  const { root, write, home } = await openScene(files);
  await write(".env", "KEY=1\n");
  await writeJsonFile(join(root, "halyard.json"), { worktree: setUp });
  const env = { PATH: process.env.PATH };
  const adapters = [fakeAdapter({ env })];
  const config = createConfigReader({ env, home });
  await using halyard = await createHalyard({ home, env, adapters, config, trust: [root] });
  const request = { runtime: "fake", cwd: root, worktree: true } as const;
  const { info } = await halyard.start(request);
  expect(await readFile(join(info.cwd, ".env"), "utf8")).toBe("KEY=1\n");
  expect(await readFile(join(info.cwd, "setup.txt"), "utf8")).toBe("20000\n");
  expect(await halyard.pruneWorktrees()).toMatchObject([{ state: "live", removed: false }]);
  await halyard.stop(info.id);
  expect(await halyard.pruneWorktrees()).toMatchObject([{ state: "empty", removed: true }]);
});

test("returns a session's changes after its worktree was removed", async () => {
  const { halyard, request } = await openScene();
  const session = await halyard.start({ ...request, worktree: true });
  await session.send(`sh cd ${session.info.cwd} && echo two > a.txt && echo b > b.txt`).outcome;
  await session.stop();
  const files = [
    { path: "a.txt", status: "modified" },
    { path: "b.txt", status: "added" },
  ];
  expect(await halyard.changes(session.id)).toMatchObject({ files });
  expect(await halyard.pruneWorktrees({ park: true })).toMatchObject([{ removed: true }]);
  expect(await halyard.changes(session.id)).toMatchObject({ files });
  expect(await halyard.changes(session.id, { turnId: "1" })).toMatchObject({ files });
  expect(await halyard.changes(session.id, { by: "agent" })).toMatchObject({ files });
});

test("does not run an untrusted repository's setup command", async () => {
  const { root, halyard, request } = await openScene();
  await writeJsonFile(join(root, "halyard.json"), { worktree: setUp });
  const { info } = await halyard.start({ ...request, worktree: true });
  expect(await readdir(info.cwd)).toEqual([".git", "a.txt"]);
});

test.each([
  ["exits with an error", "echo no network; exit 3", "exited with code 3: no network"],
  ["is killed", "echo no memory; kill -9 $$", "was killed by SIGKILL: no memory"],
])(
  "rejects the start and removes the worktree if the setup command %s",
  async (_, script, reason) => {
    const repository = await newRepository();
    const { root, git } = repository;
    const home = await temporaryDirectory();
    const setup = ["sh", "-c", script];
    await writeJsonFile(join(home, "config.json"), { worktree: { setup } });
    const refs = await git("for-each-ref", "refs/heads");
    const env = { PATH: process.env.PATH };
    const config = createConfigReader({ env, home });
    await using halyard = await createHalyard({ home, env, adapters: [fakeAdapter()], config });
    await expect(
      halyard.start({ runtime: "fake", cwd: root, worktree: true }),
    ).rejects.toMatchObject({
      code: "start_failed",
      message: expect.stringContaining(reason),
    });
    expect(await git("for-each-ref", "refs/heads")).toBe(refs);
    expect(await git("worktree", "list")).not.toContain(home);
    const [directory = ""] = (await readdir(join(home, "worktrees"))).filter(
      (name) => name !== ".ports",
    );
    expect(await readdir(join(home, "worktrees", directory))).toEqual([]);
    expect(await readdir(join(home, "worktrees", ".ports"))).toEqual([]);
  },
);
