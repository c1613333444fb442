import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { connectTo, newDaemonUser, startSession, untilEvent } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import type { SessionId } from "../../schema/id.ts";

async function userWithDaemon(): Promise<User> {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  return user;
}

/** Resolves when the turn of the session has ended. */
async function untilEnded(user: User, id: SessionId): Promise<void> {
  await untilEvent(await connectTo(user), id, ({ type }) => type === "completion");
}

test.each([
  ["say hello", 0, /^$/],
  ["fail on purpose", 1, /^error: .*on purpose.* \(agent_failed\)\n$/],
])(
  "exits with the code of a turn that ended before the wait: %s",
  async (prompt, exitCode, reason) => {
    const user = await userWithDaemon();
    const id = await startSession(user, prompt);
    await untilEnded(user, id);
    expect(await runWarm(user, ["wait", id])).toEqual({
      exitCode,
      stdout: `${id} idle\n`,
      stderr: expect.stringMatching(reason),
    });
  },
);

test("exits with the code of the last turn if the session had several turns", async () => {
  const user = await userWithDaemon();
  const id = await startSession(user, "wait");
  await runWarm(user, ["interrupt", id]);
  await untilEnded(user, id);
  expect(await runWarm(user, ["wait", id])).toMatchObject({ exitCode: 130 });
  await runWarm(user, ["send", id, "--wait", "say better"]);
  expect(await runWarm(user, ["wait", id])).toMatchObject({ exitCode: 0 });
});

test("exits with 1 if the agent died", async () => {
  const user = await userWithDaemon();
  const id = await startSession(user, "say hello");
  await untilEnded(user, id);
  const { pid = 0 } = (await (await connectTo(user)).find(id)) ?? {};
  const done = runWarm(user, ["wait", id, "--until", "ended"]);
  process.kill(pid, "SIGKILL");
  expect(await done).toMatchObject({ exitCode: 1, stdout: `${id} failed\n` });
  expect(await runWarm(user, ["wait", id])).toMatchObject({ exitCode: 1 });
});

test("exits with 0 if the session had no turn", async () => {
  const user = await userWithDaemon();
  const { stdout } = await runWarm(user, ["start", "--runtime", "fake"]);
  expect(await runWarm(user, ["wait", stdout.trim()])).toMatchObject({ exitCode: 0 });
});

test("--until done returns when the running turn ends, and immediately if no turn is running", async () => {
  const user = await userWithDaemon();
  const id = await startSession(user, "wait");
  const done = runWarm(user, ["wait", id, "--until", "done"]);
  await runWarm(user, ["send", id, "wait"]);
  await runWarm(user, ["interrupt", id]);
  expect(await done).toMatchObject({ exitCode: 130, stdout: `${id} running\n` });
  await runWarm(user, ["interrupt", id]);
  await runWarm(user, ["wait", id]);
  expect(await runWarm(user, ["wait", id, "--until", "done"])).toMatchObject({
    stdout: `${id} idle\n`,
  });
});

test("waits for several sessions and exits with the code of the session that failed", async () => {
  const user = await userWithDaemon();
  const ids = [
    await startSession(user, "say hello"),
    await startSession(user, "say so; fail on purpose"),
  ];
  const { exitCode, stdout } = await runWarm(user, ["wait", ...ids]);
  expect(exitCode).toBe(1);
  expect(stdout.trim().split("\n").sort()).toEqual(ids.map((id) => `${id} idle`).sort());
});

test("prints an open request with the command that answers it", async () => {
  const user = await userWithDaemon();
  const id = await startSession(user, "ask", ["--permissions", "ask"]);
  const cli = new StartedCli(user, [process.execPath, program, "wait", id]);
  await expect.poll(() => cli.stderr, { timeout: 20_000 }).toMatch(/halyard answer req_\w+ yes/);
  const [, request = ""] = /halyard answer (req_\w+) yes/.exec(cli.stderr) ?? [];
  await runWarm(user, ["answer", request, "yes"]);
  expect(await cli.finished).toMatchObject({ exitCode: 0, stdout: `${id} idle\n` });
});
