import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { requireSeparateWorkspace } from "./prepare-paths.ts";

test("rejects a workspace that overlaps with Halyard's home", async () => {
  const root = await temporaryDirectory();
  const home = join(root, "user", ".halyard");
  mkdirSync(join(home, "projects", "p", "workspaces", "one"), { recursive: true });
  mkdirSync(join(home, "containers", "x"), { recursive: true });
  mkdirSync(join(home, "..work"));
  mkdirSync(join(root, "work"));
  symlinkSync(join(root, "user"), join(root, "link"));
  for (const path of [
    root,
    join(root, "user"),
    join(root, "link"),
    home,
    join(home, "containers", "x"),
    join(home, "projects"),
    join(home, "projects", "p"),
    join(home, "..work"),
  ])
    expect(() => requireSeparateWorkspace(home, path), path).toThrow(/HALYARD_HOME/);
  for (const path of [
    join(root, "work"),
    join(home, "projects", "p", "workspaces"),
    join(home, "projects", "p", "workspaces", "one"),
  ])
    expect(() => requireSeparateWorkspace(home, path), path).not.toThrow();
});

test("rejects a workspace that contains Halyard's home, if the name of the home begins with two dots", async () => {
  const root = await temporaryDirectory();
  const home = join(root, "..halyard");
  mkdirSync(home);
  expect(() => requireSeparateWorkspace(home, root)).toThrow(/HALYARD_HOME/);
});
