import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "./settings.ts";

let home: string;
let project: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "halyard-home-"));
  project = await mkdtemp(join(tmpdir(), "halyard-project-"));
});
afterEach(async () => {
  await rm(home, { recursive: true });
  await rm(project, { recursive: true });
});

test("without any file the runtime is pi [s1.migration.default-unchanged]", async () => {
  expect(await readSettings(home, project)).toEqual({ runtime: "pi", warnings: [] });
});

test("the project comes before the user, key by key, also from a folder below it", async () => {
  await writeFile(join(home, "config.json"), '{ "runtime": "codex", "model": "fast" }');
  await writeFile(join(project, "halyard.json"), '{ "runtime": "claude" }');
  const below = join(project, "src", "deep");
  await mkdir(below, { recursive: true });
  expect(await readSettings(home, below)).toEqual({
    runtime: "claude",
    model: "fast",
    warnings: [],
  });
});

test("a project that allows more than the user does is named", async () => {
  const path = join(project, "halyard.json");
  await writeFile(path, '{ "permissions": "allow-all" }');
  const settings = await readSettings(home, project);
  expect(settings.permissions).toBe("allow-all");
  expect(settings.warnings).toEqual([`${path} sets the permissions to allow-all`]);
});

test("a wrong value names the file and the place", async () => {
  await writeFile(join(home, "config.json"), '{\n  "permissions": "yes"\n}');
  await expect(readSettings(home, project)).rejects.toMatchObject({
    code: "invalid_config",
    message: `${join(home, "config.json")}:2:18: permissions: expected one of "allow-all"|"allow-edits"|"ask"|"deny"`,
  });
});
