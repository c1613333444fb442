import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { noFileMonitor } from "./git-settings.ts";

const given = { GIT_CONFIG_KEY_0: "test.key", GIT_CONFIG_VALUE_0: "kept" };

test.each([
  ["without settings in the environment", {}, ""],
  ["with an empty count", { GIT_CONFIG_COUNT: "" }, ""],
  ["with a setting in the environment", { GIT_CONFIG_COUNT: "1", ...given }, "kept"],
  ["with a count that git trims", { GIT_CONFIG_COUNT: " 1", ...given }, "kept"],
])(
  "disables the file monitor of a repository %s, and keeps other settings",
  async (_, env, kept) => {
    const cwd = await temporaryDirectory();
    const git = (args: readonly string[], variables: Record<string, string>) =>
      execFileSync("git", args, {
        cwd,
        env: { PATH: process.env.PATH, HOME: cwd, ...variables },
        encoding: "utf8",
      });
    git(["init", "-q"], {});
    const ran = join(cwd, ".git", "ran");
    git(["config", "core.fsmonitor", `touch ${ran}; false`], {});
    git(["status"], env);
    expect(existsSync(ran), "the trap works").toBe(true);
    execFileSync("rm", [ran]);
    const safe = { ...env, ...noFileMonitor(env) };
    git(["status"], safe);
    expect(existsSync(ran)).toBe(false);
    expect(git(["config", "--default", "", "test.key"], safe).trim()).toBe(kept);
  },
);
