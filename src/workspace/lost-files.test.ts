import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/workspace/repository.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createWorkspaces } from "./workspaces.ts";

const ID = "ses_0123456789abcdef";
const onBefore = async () => {};

async function workspacesWith(env: Record<string, string | undefined> = process.env) {
  const home = await temporaryDirectory();
  return createWorkspaces({ home, env, now: () => new Date() });
}

test("records the files privately after an agent has deleted the repository", async () => {
  const { root, write } = await newRepository();
  const workspaces = await workspacesWith();
  const workspace = await workspaces.open(ID, root);
  const { commit: lost } = await workspace.checkpoint();
  await rm(join(root, ".git"), { recursive: true });
  await write("b.txt", "new\n");
  const { commit: after } = await workspace.checkpoint({ after: lost });
  await write("a.txt", "two\n");
  expect(await workspace.changes(after, undefined)).toMatchObject({ insertions: 1, deletions: 1 });
  await workspace.restore(after, { after, onBefore });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");
  for (const read of [
    () => workspace.changes(lost, after),
    () => workspace.changes(lost, undefined),
    () => workspace.restore(lost, { after, onBefore }),
  ])
    await expect(read()).rejects.toMatchObject({
      code: "checkpoint_not_found",
      message: expect.stringContaining('Run "halyard events ID --format json"'),
    });
});

test("restores the files after an agent has deleted all of them", async () => {
  const { root } = await newRepository();
  const workspace = await (await workspacesWith()).open(ID, root);
  const { commit: after } = await workspace.checkpoint();
  await rm(join(root, "a.txt"));
  const { commit } = await workspace.checkpoint({ after });
  const rewound = await workspace.restore(after, { after: commit, onBefore });
  expect(rewound).toMatchObject({ files: 1, insertions: 1, kept: [] });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");
});

test("reports that the directory does not exist, and restores its files when it exists again", async () => {
  const root = join(await temporaryDirectory(), "root");
  await mkdir(root);
  await writeFile(join(root, "a.txt"), "one\n");
  const workspace = await (await workspacesWith()).open(ID, root);
  const { commit } = await workspace.checkpoint();
  await rm(root, { recursive: true });
  const gone = {
    code: "workspace_failed",
    message: `The directory ${root} does not exist. Create it, and try again.`,
  };
  await expect(workspace.checkpoint({ after: commit })).rejects.toMatchObject(gone);
  await expect(workspace.restore(commit, { after: commit, onBefore })).rejects.toMatchObject(gone);
  await mkdir(root);
  await workspace.restore(commit, { after: commit, onBefore });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");
});

test("records only the directory if the repository around it contains the home directory", async () => {
  const { root, write } = await newRepository();
  await write(".ssh/id", "key\n");
  await write("project/a.txt", "one\n");
  const workspaces = await workspacesWith({ ...process.env, HOME: root });
  const workspace = await workspaces.open(ID, join(root, "project"));
  expect(workspace.root).toBe(join(root, "project"));
  await expect(workspaces.open("ses_fedcba9876543210", root)).rejects.toMatchObject({
    code: "workspace_failed",
    message: expect.stringContaining("because it contains a home directory"),
  });
});
