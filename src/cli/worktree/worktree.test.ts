import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import type { User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import { newRepository } from "../../../test/workspace/repository.ts";

test("starts a session in a worktree, lists the worktree, and prunes it only after the session has ended", async () => {
  const { root, git } = await newRepository();
  const user: User = { ...(await newDaemonUser()), cwd: root };
  await serveFakeDaemon(user);
  const none = await runWarm(user, ["worktree", "list"]);
  expect(none).toMatchObject({ exitCode: 0, stdout: "" });
  const started = await runWarm(user, ["start", "-r", "fake", "--branch", "fix/login", "say hi"]);
  const id = started.stdout.trim();
  const listed = await runWarm(user, ["worktree", "list"]);
  expect(listed.stdout).toMatch(
    /^SESSION +STATE +COMMITS +AGE +BRANCH +PATH\nses_\w+ +live +0 .* fix\/login .*\n$/,
  );
  const kept = await runWarm(user, ["worktree", "prune"]);
  expect(kept.stdout).toMatch(/\nkept +ses_/);
  await runWarm(user, ["stop", id]);
  const dry = await runWarm(user, ["worktree", "prune", "--dry-run"]);
  expect(dry.stdout).toMatch(/\nwould remove +ses_\w+ +empty/);
  const head = (await git("rev-parse", "HEAD")).slice(0, 7);
  const removed = await runWarm(user, ["worktree", "prune"]);
  expect(removed.stdout).toMatch(new RegExp(`\nremoved, branch was ${head} +ses_`));
  expect(await runWarm(user, ["worktree", "list"])).toMatchObject({ stdout: "" });
});

test("rejects --worktree with exit code 2 if the directory is not in a git repository", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  expect(await runWarm(user, ["start", "-r", "fake", "--worktree", "say hi"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("is not in the working tree of a git repository"),
  });
});
