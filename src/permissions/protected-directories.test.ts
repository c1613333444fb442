import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { protectedFrom } from "./protected-directories.ts";

test("protects the whole directory unless the working directory is below it", async () => {
  const home = await temporaryDirectory();
  expect(protectedFrom(await temporaryDirectory(), [home])).toEqual([home]);
  expect(protectedFrom(home, [home])).toEqual([home]);
});

test("protects everything else in a home that contains the working directory", async () => {
  const home = realpathSync(await temporaryDirectory());
  const cwd = join(home, "worktrees", "shop", "mine", "packages");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(home, "worktrees", "shop", "theirs"));
  for (const file of ["token", "worktrees/shop/mine.json", "worktrees/shop/mine/a.txt"])
    writeFileSync(join(home, file), "");
  const root = join(home, "worktrees", "shop", "mine");
  expect(protectedFrom(root, [home]).toSorted()).toEqual([
    join(home, "token"),
    join(home, "worktrees/shop/mine.json"),
    join(home, "worktrees/shop/theirs"),
  ]);
});
