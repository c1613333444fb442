import { execFileSync } from "node:child_process";
import { mkdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { findRepository } from "./find-repository.ts";

async function repository() {
  const directory = await realpath(await temporaryDirectory());
  const root = join(directory, "root");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: directory },
      stdio: "pipe",
    });
  await mkdir(join(root, "below"), { recursive: true });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  return { directory, root, git, gitDir: join(root, ".git") };
}

test("finds the repository of a subdirectory through a link", async () => {
  const { directory, root, gitDir } = await repository();
  await symlink(join(root, "below"), join(directory, "link"));
  const found = await findRepository(join(directory, "link"));
  expect(found).toEqual({ root, gitDir, commonDir: gitDir });
});

test("finds a worktree and its shared git directory", async () => {
  const { directory, git, gitDir } = await repository();
  git("worktree", "add", "-q", "../tree");
  expect(await findRepository(join(directory, "tree"))).toEqual({
    root: join(directory, "tree"),
    gitDir: join(gitDir, "worktrees", "tree"),
    commonDir: gitDir,
  });
});

test("ignores core.worktree in the repository configuration", async () => {
  const { root, git, gitDir } = await repository();
  git("config", "core.worktree", "/");
  expect(await findRepository(root)).toEqual({ root, gitDir, commonDir: gitDir });
});

test("finds no repository in a directory whose .git directory is empty", async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, ".git"));
  expect(await findRepository(directory)).toBeUndefined();
});

test("finds a repository whose HEAD is a link, or whose git directory has a line break in its path, as git does", async () => {
  const { root, git, gitDir } = await repository();
  await rm(join(gitDir, "HEAD"));
  await symlink("refs/heads/unborn", join(gitDir, "HEAD"));
  expect(git("rev-parse", "--git-dir").toString().trim()).toBe(".git");
  expect(await findRepository(root)).toEqual({ root, gitDir, commonDir: gitDir });
  const moved = join(root, "a\nb");
  await rename(gitDir, moved);
  await writeFile(gitDir, "gitdir: a\nb\n");
  expect(git("rev-parse", "--absolute-git-dir").toString().trim()).toBe(moved);
  expect(await findRepository(root)).toEqual({ root, gitDir: moved, commonDir: moved });
});
