import { execFileSync } from "node:child_process";
import {
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { openInside } from "./open-inside.ts";

const WRITE = constants.O_WRONLY | constants.O_CREAT;

async function scene() {
  const top = realpathSync(await temporaryDirectory());
  const root = join(top, "root");
  mkdirSync(root);
  mkdirSync(join(top, "elsewhere"));
  return { top, root };
}

test("creates a file and the directories above it", async () => {
  const { root } = await scene();
  await using file = await openInside(root, join(root, "a/b/c.txt"), WRITE);
  await file.writeFile("x");
  expect(readFileSync(join(root, "a/b/c.txt"), "utf8")).toBe("x");
});

test("rejects a path that contains a link, and a path outside the directory", async () => {
  const { top, root } = await scene();
  symlinkSync(join(top, "elsewhere"), join(root, "a"));
  symlinkSync(join(top, "elsewhere/new"), join(root, "dangling"));
  writeFileSync(join(top, "elsewhere/known"), "x");
  symlinkSync(join(top, "elsewhere/known"), join(root, "link"));
  for (const path of ["a/b", "dangling", "link", "link/x"])
    await expect(openInside(root, join(root, path), WRITE)).rejects.toThrow();
  for (const name of ["b", "new"]) expect(existsSync(join(top, "elsewhere", name))).toBe(false);
  await expect(openInside(root, join(top, "elsewhere/known"), WRITE)).rejects.toThrow();
});

test("rejects a pipe that is opened for reading, writing or both", async () => {
  const { root } = await scene();
  const pipe = join(root, "pipe");
  execFileSync("mkfifo", [pipe]);
  await expect(openInside(root, pipe, WRITE)).rejects.toThrow();
  await expect(openInside(root, pipe, constants.O_RDONLY)).rejects.toThrow("regular file");
  await expect(openInside(root, pipe, constants.O_RDWR)).rejects.toThrow("regular file");
});
