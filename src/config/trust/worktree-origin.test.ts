import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { writeJsonFile } from "../json/write-json.ts";
import { fingerprint } from "./fingerprint.ts";
import { projectSettingsIn, userTrust } from "./user-trust.ts";
import { worktreeOrigin } from "./worktree-origin.ts";

const runtimeSettings = async () => [
  { runtime: "a", settings: [{ path: ".a/hooks.json", effect: "runs hooks" }] },
];

/** Creates a repository with settings, and a directory with the same settings at a worktree's path. */
async function openScene() {
  const root = await realpath(await temporaryDirectory());
  const [home, repository] = [join(root, "home"), join(root, "shop")];
  const worktree = join(home, "worktrees", "shop-1", "one");
  for (const directory of [repository, worktree]) {
    await mkdir(join(directory, ".a"), { recursive: true });
    await mkdir(join(directory, "sub"));
    await writeFile(join(directory, ".a", "hooks.json"), '{ "hooks": {} }');
  }
  await writeJsonFile(`${worktree}.json`, { repository });
  const gitSettings = async () => [];
  const places = { home, env: { HOME: root }, runtimeSettings, gitSettings };
  const trusted = async (cwd: string) => (await userTrust(cwd, places)).trusted;
  return { root, home, repository, worktree, places, trusted };
}

test("returns the repository's directory for a directory in a worktree", async () => {
  const { home, repository, worktree } = await openScene();
  const origin = await worktreeOrigin(join(worktree, "sub"), home);
  expect(origin?.directory).toBe(join(repository, "sub"));
  expect(origin?.toOrigin(join(worktree, ".a/hooks.json"))).toBe(join(repository, ".a/hooks.json"));
  expect(origin?.toOrigin("/etc/passwd")).toBe("/etc/passwd");
  expect(await worktreeOrigin(repository, home)).toBeUndefined();
  expect(await worktreeOrigin(join(home, "worktrees", "shop-1"), home)).toBeUndefined();
});

test("trusts the worktrees of a repository that the user trusts, and no others", async () => {
  const { home, repository, worktree, trusted } = await openScene();
  expect(await trusted(worktree)).toBe(false);
  await writeJsonFile(join(home, "trust.json"), { directories: [repository] });
  expect(await trusted(worktree)).toBe(true);
  expect(await trusted(join(worktree, "sub"))).toBe(true);
  await writeJsonFile(join(home, "trust.json"), { directories: [`${repository}-other`] });
  expect(await trusted(worktree)).toBe(false);
});

test("trusts a worktree with exactly the settings that the user accepted in the repository", async () => {
  const { home, repository, worktree, places, trusted } = await openScene();
  const accepted = (await fingerprint(await projectSettingsIn(repository, places))) ?? "";
  await writeJsonFile(join(home, "trust.json"), { answers: { [repository]: accepted } });
  expect(await trusted(repository)).toBe(true);
  expect(await trusted(worktree)).toBe(true);
  await writeFile(join(worktree, ".a", "hooks.json"), '{ "hooks": { "evil": true } }');
  expect(await trusted(worktree)).toBe(false);
  expect(await trusted(repository)).toBe(true);
});
