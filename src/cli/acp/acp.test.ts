import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { AgentProcess } from "../../../test/acp-client/agent-process.ts";
import { FirstClient, type FirstClientOptions } from "../../../test/acp-client/first-client.ts";
import { newAgentUser } from "../../../test/cli/agent-user.ts";
import { processesIn } from "../../../test/cli/processes.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";
import { SessionInfo } from "../../schema/session.ts";
import { eventually } from "../../testing/eventually.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel([
    { when: "greet", replies: [{ text: "Hello there." }] },
    { when: "again", replies: [{ text: "Hello once more." }] },
    {
      when: "write a file",
      replies: [
        { toolCalls: [{ name: "write", input: { path: "a.txt", content: "made" } }] },
        { text: "Written." },
      ],
    },
    {
      when: "sleep",
      replies: [{ toolCalls: [{ name: "shell", input: { command: "sleep 600" } }] }],
    },
    { when: "talk", replies: [{ text: "word ".repeat(100), chunkSize: 5, chunkDelayMs: 20 }] },
  ]);
});
afterAll(() => model.close());

/** Creates a user whose agent uses the scripted model, and returns the flags that select the agent. */
async function userWithAgent(): Promise<{ user: User; flags: readonly string[] }> {
  const user = await newAgentUser(model);
  return { user, flags: user.agent };
}

function edit(user: User, args: readonly string[], options: FirstClientOptions = {}) {
  const agent = new AgentProcess(user, args);
  return { agent, client: new FirstClient(agent.stream, options) };
}

async function sessionsOf(user: User): Promise<SessionInfo[]> {
  const { stdout } = await runWarm(user, ["sessions", "--format", "json"]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => SessionInfo.parse(JSON.parse(line)));
}

test("lists and resumes a session that an editor started, and loads it into another editor", async () => {
  const { user, flags } = await userWithAgent();
  const { agent, client } = edit(user, flags, { answer: () => "allow" });
  const sessionId = await client.newSession(user.cwd);
  await client.prompt(sessionId, "greet me");
  expect(client.receivedText("agent_message_chunk")).toBe("Hello there.");
  expect(await client.prompt(sessionId, "write a file")).toMatchObject({ stopReason: "end_turn" });
  expect(client.asked).toMatchObject([{ toolCall: { kind: "edit", title: "write a.txt" } }]);
  expect(await agent.leave()).toBe(0);
  expect(agent.stderr).toBe("using ACP 1 with editor 9\n");
  expect(await sessionsOf(user)).toMatchObject([{ id: sessionId, state: "stopped", turns: 2 }]);
  const shown = await runWarm(user, ["run", "--resume", sessionId, "greet me again"]);
  expect(shown).toMatchObject({ exitCode: 0 });

  const next = edit(user, flags);
  await next.client.agent.request("session/load", { sessionId, cwd: user.cwd, mcpServers: [] });
  const loaded = next.client.receivedText("agent_message_chunk");
  expect(loaded).toMatch(/^Hello there\.Written\.Hello/);
  expect(next.client.receivedText("user_message_chunk")).toBe("greet mewrite a filegreet me again");
  expect(await next.agent.leave()).toBe(0);
  expect(await processesIn(user.cwd)).toEqual([]);
});

test("stops the session when the editor dies", async () => {
  const { user, flags } = await userWithAgent();
  const { agent, client } = edit(user, flags);
  const sessionId = await client.newSession(user.cwd);
  client.prompt(sessionId, "talk to me").catch(() => {});
  await eventually(() => expect(client.receivedText("agent_message_chunk")).toContain("word"));
  agent.process.stdout.destroy();
  agent.process.stdin.destroy();
  expect(await agent.ended).toBe(0);
  expect(await sessionsOf(user)).toMatchObject([{ id: sessionId, state: "stopped" }]);
  expect(await processesIn(user.cwd)).toEqual([]);
});

test.each(["SIGTERM", "SIGINT"] as const)("stops the session after %s", async (signal) => {
  const { user, flags } = await userWithAgent();
  const { agent, client } = edit(user, ["--permissions", "allow-all", ...flags]);
  const sessionId = await client.newSession(user.cwd);
  client.prompt(sessionId, "sleep").catch(() => {});
  await eventually(() => expect(client.of("tool_call")).toHaveLength(1));
  agent.process.kill(signal);
  expect(await agent.ended).toBe(0);
  expect(await sessionsOf(user)).toMatchObject([{ id: sessionId, state: "stopped" }]);
  expect(await processesIn(user.cwd)).toEqual([]);
});

test("continues a turn in the daemon when the editor closes, and shows it to the next editor", async () => {
  const { user, flags } = await userWithAgent();
  onTestFinished(async () => {
    await runWarm(user, ["stop", "--all"]);
    await runWarm(user, ["daemon", "stop"]);
  });
  const first = edit(user, ["--daemon", ...flags]);
  const sessionId = await first.client.newSession(user.cwd);
  first.client.prompt(sessionId, "talk to me").catch(() => {});
  await eventually(() =>
    expect(first.client.receivedText("agent_message_chunk")).toContain("word"),
  );
  expect(await first.agent.leave()).toBe(0);

  const second = edit(user, flags);
  await second.client.agent.request("session/load", { sessionId, cwd: user.cwd, mcpServers: [] });
  await eventually(() =>
    expect(second.client.receivedText("agent_message_chunk")).toBe("word ".repeat(100)),
  );
  expect(second.client.receivedText("user_message_chunk")).toBe("talk to me");
  await second.client.prompt(sessionId, "greet me");
  expect(second.client.receivedText("agent_message_chunk")).toMatch(/Hello there\.$/);
  expect(await second.agent.leave()).toBe(0);
  expect(await sessionsOf(user)).toMatchObject([{ id: sessionId, state: "idle", turns: 2 }]);
});

test("responds to a line over the size limit with an error, and accepts the next prompt", async () => {
  const { user, flags } = await userWithAgent();
  const { agent, client } = edit(user, flags);
  const sessionId = await client.newSession(user.cwd);
  const prompt = [{ type: "text", text: "x".repeat(33 * 1024 * 1024) }];
  await expect(client.agent.request("session/prompt", { sessionId, prompt })).rejects.toMatchObject(
    {
      code: -32600,
    },
  );
  await client.prompt(sessionId, "greet me");
  expect(client.receivedText("agent_message_chunk")).toBe("Hello there.");
  expect(await agent.leave()).toBe(0);
});

test("suggests a similar name for a misspelled runtime", async () => {
  const { exitCode, stderr } = await runWarm(await newUser(), ["acp", "-r", "pii"]);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('Did you mean "pi"?')]);
});

test("reports an invalid option value without writing to standard output", async () => {
  const user = await newUser();
  const { exitCode, stdout, stderr } = await runWarm(user, ["acp", "--api", "morse"]);
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain("morse");
});
