import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprint } from "../../config/trust/fingerprint.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { repositoryPrograms } from "./repository-programs.ts";

async function openRepository() {
  const home = await temporaryDirectory();
  const root = join(home, "work");
  mkdirSync(root);
  const env = { PATH: process.env.PATH, HOME: home };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, env });
  git("init", "-q");
  return { home, root, env, git, find: () => repositoryPrograms(root, env) };
}

test("reports the programs that git runs for every command, and those that only some commands run", async () => {
  const { root, git, find } = await openRepository();
  git("config", "remote.origin.url", "https://example.com/x.git");
  git("config", "core.fsmonitor", "true"); // git's own monitor
  expect(await find()).toEqual([]);
  git("config", "core.fsmonitor", "./monitor");
  git("config", "filter.x.smudge", "./smudge");
  git("config", "core.sshCommand", "./ssh");
  git("config", "core.hooksPath", ".husky");
  git("config", "diff.external", "./diff");
  git("config", "diff.x.textconv", "./text");
  git("config", "merge.x.driver", "./merge");
  git("config", "alias.st", "status");
  git("config", "alias.evil", "!./evil");
  const where = { path: join(root, ".git", "config"), directory: root, runtimes: ["git"] };
  expect(await find()).toEqual([
    {
      ...where,
      effect: "names programs that git runs",
      keys: ["core.fsmonitor", "filter.x.smudge"],
      values: ["./monitor", "./smudge"],
      ignoredBy: "GIT_CONFIG_COUNT",
    },
    {
      ...where,
      effect: "names programs that git runs if the agent's commands use them",
      keys: [
        "core.sshcommand",
        "core.hookspath",
        "diff.external",
        "diff.x.textconv",
        "merge.x.driver",
        "alias.evil",
      ],
      values: ["./ssh", ".husky", "./diff", "./text", "./merge", "!./evil"],
    },
  ]);
});

test("reports a signature program as run for every command if the repository verifies signatures", async () => {
  const { git, find } = await openRepository();
  git("config", "gpg.program", "./gpg");
  expect(await find()).toMatchObject([{ keys: ["gpg.program"] }]);
  expect((await find())[0]?.ignoredBy).toBeUndefined();
  git("config", "log.showSignature", "true");
  expect(await find()).toMatchObject([{ keys: ["gpg.program"], ignoredBy: expect.any(String) }]);
});

test("changes the fingerprint of an accepted repository if a program changes, but not if other settings change", async () => {
  const { git, find } = await openRepository();
  git("config", "filter.x.clean", "./clean");
  const accepted = await fingerprint(await find());
  git("config", "remote.origin.url", "https://example.com/x.git");
  expect(await fingerprint(await find())).toBe(accepted);
  git("config", "filter.x.clean", "./other");
  expect(await fingerprint(await find())).not.toBe(accepted);
});

test("reports nothing for a repository that contains the home directory", async () => {
  const { root, env, git } = await openRepository();
  git("config", "filter.x.clean", "./clean");
  expect(await repositoryPrograms(root, { ...env, HOME: root })).toEqual([]);
  expect(await repositoryPrograms(root, { ...env, HOME: join(root, "user") })).toEqual([]);
});
