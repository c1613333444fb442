import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { untrustedGit } from "./git-settings.ts";

/** Creates a repository with malicious settings. The programs in these settings create a marker file when they run. */
async function openScene() {
  const home = await temporaryDirectory();
  const cwd = join(home, "work");
  const mark = join(home, "ran");
  mkdirSync(cwd);
  const git = (args: readonly string[], variables: Record<string, string> = {}, at = cwd) =>
    execFileSync("git", args, {
      cwd: at,
      env: { PATH: process.env.PATH, HOME: home, ...variables },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  git(["init", "-q"]);
  const hasRun = () => {
    const ran = existsSync(mark);
    rmSync(mark, { force: true });
    return ran;
  };
  return { cwd, git, hasRun, trap: `touch ${mark}` };
}

const given = { GIT_CONFIG_KEY_0: "test.key", GIT_CONFIG_VALUE_0: "kept" };

test.each([
  ["without settings in the environment", {}, ""],
  ["with an empty count", { GIT_CONFIG_COUNT: "" }, ""],
  ["with a setting in the environment", { GIT_CONFIG_COUNT: "1", ...given }, "kept"],
  ["with a count that git trims", { GIT_CONFIG_COUNT: " 1", ...given }, "kept"],
])("disables the repository's file monitor and keeps other settings: %s", async (_, env, kept) => {
  const { git, hasRun, trap } = await openScene();
  git(["config", "core.fsmonitor", `${trap}; false`]);
  git(["status"], env);
  expect(hasRun(), "the trap works").toBe(true);
  const safe = { ...env, ...untrustedGit(env) };
  git(["status"], safe);
  expect(hasRun()).toBe(false);
  expect(git(["config", "--default", "", "test.key"], safe).trim()).toBe(kept);
});

test("does not run the program that verifies commit signatures", async () => {
  const { cwd, git, hasRun, trap } = await openScene();
  const program = join(cwd, "program");
  writeFileSync(program, `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  git(["config", "log.showSignature", "true"]);
  git(["config", "gpg.program", program]);
  const signature = ["gpgsig -----BEGIN PGP SIGNATURE-----", " x", " -----END PGP SIGNATURE-----"];
  const lines = [
    `tree ${git(["write-tree"]).trim()}`,
    "author Ada <ada@example.com> 1 +0000",
    "committer Ada <ada@example.com> 1 +0000",
    ...signature,
    "",
    "first",
    "",
  ];
  writeFileSync(join(cwd, "commit"), lines.join("\n"));
  git(["update-ref", "HEAD", git(["hash-object", "-t", "commit", "-w", "commit"]).trim()]);
  git(["log", "--oneline"]);
  expect(hasRun(), "the trap works").toBe(true);
  expect(git(["log", "--oneline"], untrustedGit({}))).toContain("first");
  expect(hasRun()).toBe(false);
});

test("makes git reject a bare repository inside another repository, because a clone can contain one", async () => {
  const { cwd, git, hasRun, trap } = await openScene();
  const inner = join(cwd, "docs");
  cpSync(join(cwd, ".git"), inner, { recursive: true });
  const settings = { "core.bare": "false", "core.worktree": inner, "core.fsmonitor": trap };
  for (const [name, value] of Object.entries(settings))
    git(["config", "-f", join(inner, "config"), name, value]);
  git(["status"], {}, inner);
  expect(hasRun(), "the trap works").toBe(true);
  // Uses only the setting for bare repositories, because the other settings would disarm the trap too.
  const [key = ""] =
    Object.entries(untrustedGit({})).find(([, name]) => /bareRepo/.test(name)) ?? [];
  const alone = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: untrustedGit({})[key] ?? "" };
  const value = untrustedGit({})[key.replace("KEY", "VALUE")] ?? "";
  expect(() => git(["status"], { ...alone, GIT_CONFIG_VALUE_0: value }, inner)).toThrow();
  expect(hasRun()).toBe(false);
});

test("does not refresh the index, because that would run the repository's hook", async () => {
  const { cwd, git, hasRun, trap } = await openScene();
  const file = join(cwd, "file");
  writeFileSync(file, "same");
  git(["add", "file"]);
  const hook = join(cwd, ".git/hooks/post-index-change");
  mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  const touch = (seconds: number) => utimesSync(file, seconds, seconds);
  touch(1_000);
  git(["status"]);
  expect(hasRun(), "the trap works").toBe(true);
  touch(2_000);
  git(["status"], untrustedGit({}));
  expect(hasRun()).toBe(false);
});
