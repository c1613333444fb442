import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/workspace/repository.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createWorkspaces } from "./workspaces.ts";

test("records all files again if git deletes unreferenced objects, or if the user deletes all checkpoints", async () => {
  const { root, git, write } = await newRepository();
  const home = await temporaryDirectory();
  const workspaces = createWorkspaces({ home, env: process.env, now: () => new Date() });
  const workspace = await workspaces.open("ses_0123456789abcdef", root);
  const { commit: first } = await workspace.checkpoint();
  await write("b.txt", "new\n");
  await workspace.changes(first, undefined); // writes objects that no ref refers to
  await git("gc", "--quiet", "--prune=now");
  const { commit: second } = await workspace.checkpoint({ after: first });
  expect(await git("show", `${second}:b.txt`)).toBe("new");

  const refs = await git("for-each-ref", "--format=%(refname)", "refs/halyard");
  for (const ref of refs.split("\n")) await git("update-ref", "-d", ref);
  await git("gc", "--quiet", "--prune=now");
  await write("c.txt", "more\n");
  const { commit: third } = await workspace.checkpoint({ after: second });
  await write("b.txt", "changed\n");
  await workspace.restore(third, { after: third, onBefore: async () => {} });
  expect(await readFile(join(root, "b.txt"), "utf8")).toBe("new\n");
});
