import { expect, test } from "vitest";
import { newRepository } from "../../test/workspace/repository.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createWorkspaces } from "./workspaces.ts";

test.each([
  ["in a repository", async () => (await newRepository({ "a.txt": "one\n" })).root],
  ["outside a repository", temporaryDirectory],
])("does not record Halyard's home directory, %s", async (_, create) => {
  const home = await create();
  const env = { PATH: process.env.PATH, HOME: await temporaryDirectory() };
  const workspaces = createWorkspaces({ home, env, now: () => new Date() });
  await expect(workspaces.open("ses_0123456789abcdef", home)).rejects.toMatchObject({
    code: "workspace_failed",
    message: expect.stringContaining("Halyard stores its sessions there"),
  });
});
