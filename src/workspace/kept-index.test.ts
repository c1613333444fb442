import { expect, test } from "vitest";
import { newRepository } from "../../test/workspace/repository.ts";
import { createWatchedGit } from "../../test/workspace/watched-git.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createWorkspaces } from "./workspaces.ts";

/** Opens a session's workspace again, as another process would. Its second checkpoint is not in the index yet. */
async function openAgain() {
  const { root, write } = await newRepository();
  const home = await temporaryDirectory();
  const { path, commands } = await createWatchedGit();
  const env = { ...process.env, PATH: path };
  const open = () =>
    createWorkspaces({ home, env, now: () => new Date() }).open("ses_0123456789abcdef", root);
  const first = await open();
  const start = await first.checkpoint();
  await write("a.txt", "two\n");
  const turn = await first.checkpoint({ after: start.commit });
  await write("a.txt", "two\nthree\n");
  return { workspace: await open(), after: turn.commit, commands };
}

test("compares a later checkpoint with the current files if another process wrote the index", async () => {
  const { workspace, after } = await openAgain();
  expect(await workspace.changes(after, undefined)).toMatchObject({
    files: [{ path: "a.txt", insertions: 1, deletions: 0 }],
  });
});

test("reads the last checkpoint into the index once if another process wrote the index", async () => {
  const { workspace, after, commands } = await openAgain();
  await commands();
  expect(await workspace.checkpoint({ after })).toMatchObject({ files: 1, insertions: 1 });
  expect((await commands()).filter((command) => command === "read-tree")).toHaveLength(1);
});
