import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentUser, newAgentUser } from "../../../test/cli/agent-user.ts";
import { killProcessesIn } from "../../../test/cli/processes.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { ownerSockets } from "../../config/paths.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  const call = (name: string, command: string) => ({ toolCalls: [{ name, input: { command } }] });
  const until = "until [ -e go ]; do sleep 0.05; done";
  model = await startScriptedModel([
    { when: "second message", replies: [{ text: "Second." }] },
    { when: "third message", replies: [{ text: "Third." }] },
    { when: "work until go exists", replies: [call("shell", until)] },
    { when: "ask me", replies: [call("shell", "echo asked"), { text: "Answered." }] },
    { when: "sleep", replies: [call("shell", "sleep 600")] },
    { when: "doze", replies: [call("bash", "sleep 600")] },
    { replies: [{ text: "First." }] },
  ]);
});
afterAll(() => model.close());

const newUser = (): Promise<AgentUser> => newAgentUser(model, { TERM: "xterm" }, newDaemonUser);

/** Creates a user of Pi, which can be steered. */
async function newPiUser(): Promise<AgentUser> {
  const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
  const user = await newDaemonUser({
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey,
  });
  return { ...user, agent: ["--runtime", "pi"] };
}

/** Starts a `halyard run` and waits until its agent calls a tool. Returns the process and the session's id. */
async function startRun(user: AgentUser, prompt: string): Promise<{ cli: StartedCli; id: string }> {
  const args = ["run", ...user.agent, "-p", "allow-all", prompt];
  const cli = new StartedCli(user, [process.execPath, program, ...args]);
  cli.process.stdin.end();
  await cli.says(/→ (shell|bash)/);
  return { cli, id: /ses_\w{16}/.exec(cli.stdout)?.[0] ?? "" };
}

/** Returns the names of the owner sockets in the user's home. */
async function sockets({ home }: User): Promise<string[]> {
  const { directory, prefix } = ownerSockets(home);
  return (await readdir(directory)).filter((name) => name.startsWith(prefix));
}

test("send queues a message in the session of a run, and the run prints the message's turn", async () => {
  const user = await newUser();
  const { cli, id } = await startRun(user, "work until go exists");
  const sent = await runWarm(user, ["send", id, "second message"]);
  expect(sent).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^queued/), stderr: "" });
  // A second run at the same time does not affect the first one.
  await runWarm(user, ["run", ...user.agent, "--format", "quiet", "another run"]);
  const third = await runWarm(user, ["send", id, "--interrupt", "--wait", "third message"]);
  expect(third).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Third.") });
  const { exitCode, stdout } = await cli.finished;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/■ cancelled[\s\S]*Third\.[\s\S]*Second\.[\s\S]*✓ completed/);
  expect(await sockets(user)).toEqual([]);
});

test("interrupt cancels a run's turn", async () => {
  const user = await newUser();
  const { cli, id } = await startRun(user, "sleep");
  expect((await runWarm(user, ["interrupt", id])).stderr).toMatch(/^Interrupted/);
  expect(await cli.finished).toMatchObject({
    exitCode: 130,
    stdout: expect.stringContaining("■ cancelled"),
  });
});

test("stop ends a run, and rm removes its session", async () => {
  const user = await newUser();
  const first = await startRun(user, "sleep");
  expect(await runWarm(user, ["stop", first.id])).toEqual({
    exitCode: 0,
    stdout: `${first.id} stopped\n`,
    stderr: "",
  });
  expect((await first.cli.finished).exitCode).toBe(130);
  const second = await startRun(user, "sleep");
  expect((await runWarm(user, ["rm", second.id])).stdout).toBe(`${second.id} removed\n`);
  expect((await second.cli.finished).exitCode).toBe(130);
  expect((await runWarm(user, ["events", second.id])).exitCode).toBe(4);
});

test("answer answers a request that a run shows on its console", async () => {
  const user = await newUser();
  const command = [process.execPath, program, "run", ...user.agent, "'ask me'"].join(" ");
  const cli = new StartedCli(user, ["/usr/bin/script", "-qec", command, "/dev/null"]);
  await cli.says(/lways any "echo" command/);
  const open = await runWarm(user, ["requests", "--format", "json"]);
  const { requestId } = JSON.parse(open.stdout);
  expect(await runWarm(user, ["answer", requestId, "yes"])).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: `${requestId}: allowed\n`,
  });
  expect(await cli.finished).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("Answered."),
  });
});

test("send steers a run, and resume changes the run's session in the process that owns it", async () => {
  const user = await newPiUser();
  const { cli, id } = await startRun(user, "doze");
  const steered = await runWarm(user, ["send", id, "--steer", "steered text"]);
  expect(steered).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await runWarm(user, ["resume", id, "--permissions", "ask"])).toEqual({
    exitCode: 0,
    stdout: `${id} is running\n`,
    stderr: "",
  });
  const listed = await runWarm(user, ["sessions", "--format", "json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ id, permissions: "ask", state: "running" });
  const second = await runWarm(user, ["run", "--resume", id, "second message"]);
  expect(second).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining(`Run "halyard attach ${id}" to watch it and send messages`),
  });
  await runWarm(user, ["stop", id]);
  expect((await cli.finished).exitCode).toBe(130);
});

/** Creates a user whose home has a path that is too long for a socket. */
async function newUserWithLongHome(): Promise<AgentUser> {
  const user = await newUser();
  const home = join(user.home, "long".repeat(25));
  await mkdir(home, { recursive: true, mode: 0o700 });
  return { ...user, home, env: { ...user.env, HALYARD_HOME: home } };
}

test.each([
  ["in the home", newUser],
  ["outside of a home with a long path", newUserWithLongHome],
])("send resumes a killed run's session and removes its socket %s", async (_where, create) => {
  const user = await create();
  const { cli, id } = await startRun(user, "sleep");
  expect(await sockets(user)).toHaveLength(1);
  await killProcessesIn(user.cwd); // the run, its agent and the tool
  await once(cli.process, "exit");
  const sent = await runWarm(user, ["send", id, "--wait", "--format", "quiet", "second message"]);
  expect(sent).toMatchObject({ exitCode: 0, stdout: "Second.\n" });
  expect(await sockets(user)).toEqual([]);
});
