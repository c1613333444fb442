import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { halyard, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { ownerSockets } from "../../config/paths.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  const bash = (command: string) => ({ toolCalls: [{ name: "bash", input: { command } }] });
  model = await startScriptedModel([
    { when: "second message", replies: [{ text: "Second." }] },
    { when: "third message", replies: [{ text: "Third." }] },
    { when: "work until go exists", replies: [bash("until [ -e go ]; do sleep 0.05; done")] },
    { when: "ask me", replies: [bash("echo asked"), { text: "Answered." }] },
    { when: "sleep", replies: [bash("sleep 600")] },
    { replies: [{ text: "First." }] },
  ]);
});
afterAll(() => model.close());

function newUser(): Promise<User> {
  const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
  return newDaemonUser({
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey,
    TERM: "xterm",
  });
}

/** Starts a `halyard run` whose agent works until the file `go` exists. */
async function startRun(user: User, ...args: string[]): Promise<{ cli: StartedCli; id: string }> {
  const cli = new StartedCli(user, [process.execPath, program, "run", "-p", "allow-all", ...args]);
  cli.process.stdin.end();
  await cli.says(/→ bash/);
  return { cli, id: /ses_\w{16}/.exec(cli.stdout)?.[0] ?? "" };
}

/** Returns the names of the owner sockets of the user's home. */
async function sockets({ home }: User): Promise<string[]> {
  const { directory, prefix } = ownerSockets(home);
  return (await readdir(directory)).filter((name) => name.startsWith(prefix));
}

test("send queues a message behind the running turn of a run, and the run shows its turn", async () => {
  const user = await newUser();
  const { cli, id } = await startRun(user, "work until go exists");
  const sent = await halyard(user, ["send", id, "second message"]);
  expect(sent).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^queued/), stderr: "" });
  await halyard(user, ["run", "--format", "quiet", "-p", "allow-all", "another run"]); // two runs at once
  const steered = await halyard(user, ["send", id, "--steer", "steered text"]);
  expect(steered).toMatchObject({ exitCode: 0, stderr: "" });
  const third = await halyard(user, ["send", id, "--interrupt", "--wait", "third message"]);
  expect(third).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Third.") });
  const { exitCode, stdout } = await cli.finished;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/■ cancelled[\s\S]*Third\.[\s\S]*Second\.[\s\S]*✓ completed/);
  expect(await sockets(user)).toEqual([]);
});

test("interrupt cancels the turn of a run", async () => {
  const user = await newUser();
  const { cli, id } = await startRun(user, "sleep");
  expect((await halyard(user, ["interrupt", id])).stderr).toMatch(/^Interrupted/);
  expect(await cli.finished).toMatchObject({
    exitCode: 130,
    stdout: expect.stringContaining("■ cancelled"),
  });
});

test("stop ends a run, and rm removes its session", async () => {
  const user = await newUser();
  const first = await startRun(user, "sleep");
  expect(await halyard(user, ["stop", first.id])).toEqual({
    exitCode: 0,
    stdout: `${first.id} stopped\n`,
    stderr: "",
  });
  expect((await first.cli.finished).exitCode).toBe(130);
  const second = await startRun(user, "sleep");
  expect((await halyard(user, ["rm", second.id])).stdout).toBe(`${second.id} removed\n`);
  expect((await second.cli.finished).exitCode).toBe(130);
  expect((await halyard(user, ["events", second.id])).exitCode).toBe(4);
});

test("answer answers a request that a run shows on its console", async () => {
  const user = await newUser();
  const command = [process.execPath, program, "run", "'ask me'"].join(" ");
  const cli = new StartedCli(user, ["/usr/bin/script", "-qec", command, "/dev/null"]);
  await cli.says(/lways any "echo" command/);
  const open = await halyard(user, ["requests", "--format", "json"]);
  const { requestId } = JSON.parse(open.stdout);
  expect(await halyard(user, ["answer", requestId, "yes"])).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: `${requestId}: allowed\n`,
  });
  expect(await cli.finished).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("Answered."),
  });
});

test("resume changes the session of a run in the process that owns it", async () => {
  const user = await newUser();
  const { cli, id } = await startRun(user, "work until go exists");
  expect(await halyard(user, ["resume", id, "--permissions", "ask"])).toEqual({
    exitCode: 0,
    stdout: `${id} is running\n`,
    stderr: "",
  });
  const listed = await halyard(user, ["sessions", "--format", "json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ id, permissions: "ask", state: "running" });
  const second = await halyard(user, ["run", "--resume", id, "second message"]);
  expect(second).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining(`Run "halyard attach ${id}" to watch it and send messages`),
  });
  await halyard(user, ["stop", id]);
  expect((await cli.finished).exitCode).toBe(130);
});

/** Creates a user whose home has a path that is too long for a socket. */
async function newUserWithLongHome(): Promise<User> {
  const user = await newUser();
  const home = join(user.home, "long".repeat(25));
  await mkdir(home, { recursive: true, mode: 0o700 });
  return { ...user, home, env: { ...user.env, HALYARD_HOME: home } };
}

test.each([
  ["in the home", newUser],
  ["outside of a home with a long path", newUserWithLongHome],
])("send resumes the session of a killed run and removes its socket %s", async (_where, create) => {
  const user = await create();
  const { cli, id } = await startRun(user, "sleep");
  expect(await sockets(user)).toHaveLength(1);
  cli.process.kill("SIGKILL");
  await once(cli.process, "exit");
  const sent = await halyard(user, ["send", id, "--wait", "--format", "quiet", "second message"]);
  expect(sent).toMatchObject({ exitCode: 0, stdout: "Second.\n" });
  expect(await sockets(user)).toEqual([]);
});
