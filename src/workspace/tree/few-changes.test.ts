import { chmod, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/workspace/repository.ts";
import { createWatchedGit } from "../../../test/workspace/watched-git.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createWorkspaces } from "../workspaces.ts";

const ID = "ses_0123456789abcdef";

async function room() {
  const repository = await newRepository();
  const home = await temporaryDirectory();
  const { path, commands } = await createWatchedGit();
  const env = { ...process.env, PATH: path };
  const open = () =>
    createWorkspaces({ home, env, now: () => new Date() }).open(ID, repository.root);
  return { ...repository, open, commands };
}

test("records few changes with at most four git commands, and many with an index update", async () => {
  const { root, git, write, open, commands } = await room();
  await write("dir/file", "file\n");
  const workspace = await open();
  const first = await workspace.checkpoint();
  await commands();

  await write("a.txt", "two\n");
  await write("new/deep/b.txt", "b\n");
  await rm(join(root, "dir"), { recursive: true });
  await symlink("a.txt", join(root, "dir"));
  const second = await workspace.checkpoint({ after: first.commit });
  const [reading, ...once] = ["cat-file", "diff-files", "diff-tree", "ls-files"];
  expect(await commands()).toEqual([reading, ...once]);
  expect(second).toMatchObject({ files: 4, insertions: 3, deletions: 2 });
  expect(await git("ls-tree", "-r", "--name-only", second.commit)).toBe(
    "a.txt\ndir\nnew/deep/b.txt",
  );

  await rm(join(root, "new"), { recursive: true });
  await chmod(join(root, "a.txt"), 0o755);
  const third = await workspace.checkpoint({ after: second.commit });
  expect(await commands()).toEqual(once); // no cat-file, because the second checkpoint has already read the directories
  expect(await git("ls-tree", "-r", third.commit)).toMatch(
    /^100755 blob .+\ta\.txt\n120000 .+\tdir$/,
  );

  for (let count = 0; count < 40; count++) await write(`many/${count}`, `${count}\n`);
  const fourth = await workspace.checkpoint({ after: third.commit });
  expect(await commands()).toContain("update-index");
  expect(fourth).toMatchObject({ files: 40, insertions: 40, deletions: 0 });
});

test("keeps recording a new file that is later added to .gitignore, also after the workspace is reopened", async () => {
  for (const isReopened of [false, true]) {
    const { git, write, open } = await room();
    const workspace = await open();
    const first = await workspace.checkpoint();
    await write("build.txt", "one\n");
    const second = await workspace.checkpoint({ after: first.commit });
    await write(".gitignore", "build.txt\n");
    await write("build.txt", "two\n");
    const next = isReopened ? await open() : workspace;
    const { files, commit } = await next.checkpoint({ after: second.commit });
    expect(files).toBe(2);
    expect(await git("show", `${commit}:build.txt`)).toBe("two");
  }
});
