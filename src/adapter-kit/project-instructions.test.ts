import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { withInstructions } from "./project-instructions.ts";

async function newRepository() {
  const parent = await realpath(await temporaryDirectory());
  const root = join(parent, "repository");
  await mkdir(join(root, ".git"), { recursive: true });
  const instructionsIn = (cwd: string) => withInstructions({ cwd }, ["AGENTS.md"]);
  return { parent, root, instructionsIn };
}

test("reads the instructions in a directory whose name begins with two dots", async () => {
  const { root, instructionsIn } = await newRepository();
  const cwd = join(root, "..x");
  await mkdir(cwd);
  const file = join(cwd, "AGENTS.md");
  await writeFile(file, "Use tabs.");
  expect(await instructionsIn(cwd)).toBe(`Instructions from: ${file}\nUse tabs.`);
});

test("does not follow a link out of the repository", async () => {
  const { parent, root, instructionsIn } = await newRepository();
  await mkdir(join(parent, "repository-2"));
  await writeFile(join(parent, "repository-2", "secret"), "a key");
  await symlink(join(parent, "repository-2", "secret"), join(root, "AGENTS.md"));
  expect(await instructionsIn(root)).toBeUndefined();
});
