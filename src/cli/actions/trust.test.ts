import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halyard, newUser, type User } from "../../../test/cli/start-cli.ts";

async function trusted({ home }: User): Promise<unknown> {
  return JSON.parse(await readFile(join(home, "trust.json"), "utf8")).directories;
}

test("trust writes the directory down once, and takes it away again", async () => {
  const user = await newUser();
  await mkdir(join(user.cwd, "sub"));
  const cwd = await realpath(user.cwd);
  expect(await halyard(user, ["trust"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^~\/project is trusted, with all below it/),
  });
  await halyard(user, ["trust", "."]);
  await halyard(user, ["trust", "sub"]);
  expect(await trusted(user)).toEqual([cwd, join(cwd, "sub")]);
  await halyard(user, ["trust", "--remove"]);
  expect(await trusted(user)).toEqual([join(cwd, "sub")]);
});

test("what is no directory is refused", async () => {
  const user = await newUser();
  await writeFile(join(user.cwd, "file"), "");
  for (const name of ["file", "nowhere"]) {
    const { exitCode, stderr } = await halyard(user, ["trust", name]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${name} is not a directory`),
    });
  }
});
