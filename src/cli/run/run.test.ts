import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentUser, newAgentUser } from "../../../test/cli/agent-user.ts";
import { processesIn } from "../../../test/cli/processes.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { StreamEvent } from "../../schema/event.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  const usage = { inputTokens: 1200, outputTokens: 3 };
  model = await startScriptedModel([
    { when: "greet", replies: [{ reasoning: "A greeting.", text: "Hello there.", usage }] },
    {
      when: "write a file",
      replies: [
        { toolCalls: [{ name: "write", input: { path: "a.txt", content: "made" } }] },
        { text: "Written." },
      ],
    },
    {
      when: "wait",
      replies: [
        { toolCalls: [{ name: "shell", input: { command: "echo waiting; sleep 600" } }] },
        { text: "Awake." },
      ],
    },
    { when: "talk", replies: [{ text: "word ".repeat(2000), chunkSize: 5, chunkDelayMs: 20 }] },
    { when: "wrong key", replies: [{ error: { status: 401, message: "bad key" } }] },
  ]);
});
afterAll(() => model.close());

const userWithAgent = (): Promise<AgentUser> => newAgentUser(model);

/** Creates a user whose environment selects the scripted model for Pi. */
function userWithModel(): Promise<User> {
  const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
  return newUser({
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey,
  });
}

const run = (user: User & Partial<AgentUser>, ...args: string[]) =>
  runWarm(user, ["run", ...(user.agent ?? []), ...args]);
function start(user: AgentUser, ...args: string[]): StartedCli {
  const cli = new StartedCli(user, [process.execPath, program, "run", ...user.agent, ...args]);
  cli.process.stdin.end();
  return cli;
}

function eventsIn(stdout: string): StreamEvent[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => StreamEvent.parse(JSON.parse(line)));
}

test("prints the turn, its token usage and the command that continues the session", async () => {
  const user = await userWithModel();
  const { exitCode, stdout, stderr } = await run(user, "greet me");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const id = /ses_\w{16}/.exec(stdout)?.[0] ?? "";
  expect(
    stdout.replaceAll(id, "ID").replace(/· [\d.]+ m?s ·/, "· TIME ·"),
  ).toBe(`pi · scripted · ask · ~/project · ID

∴ A greeting.

Hello there.

✓ completed · TIME · 1.2k tokens in, 3 out · ID
  Continue with: halyard run --resume ID "…"
`);
  const info = await runWarm(user, ["sessions", "--format", "json"]);
  expect(JSON.parse(info.stdout)).toMatchObject({ id, turns: 1, model: { id: "scripted" } });
});

test("resumes a session by a prefix of its id, and appends the turn to its log", async () => {
  const user = await userWithAgent();
  const first = await run(user, "greet me");
  const id = /ses_\w{16}/.exec(first.stdout)?.[0] ?? "";
  const resume = ["run", "--resume", id.slice(0, 9), "--format", "quiet"];
  const second = await runWarm(user, [...resume, "greet me again"]);
  expect(second).toEqual({ exitCode: 0, stdout: "Hello there.\n", stderr: "" });

  const list = await runWarm(user, ["sessions"]);
  expect(list.stdout).toMatch(
    new RegExp(`^SESSION .*\n${id} +acp +stopped +.* +2 ✓ +~/project +greet me\n$`),
  );
  const infos = await runWarm(user, ["sessions", "--format", "json", "--state", "stopped"]);
  expect(JSON.parse(infos.stdout)).toMatchObject({ id, turns: 2 });

  const story = await runWarm(user, ["events", id.slice(4, 10)]);
  expect(story.stdout).toMatch(/› greet me\n\n∴ A greeting.\n\nHello there.\n\n✓ completed/);
  expect(story.stdout).toContain("· session resumed");
  const log = eventsIn(
    (await runWarm(user, ["events", id, "--format", "json", "--after", "2"])).stdout,
  );
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 3));
});

test("--continue and --resume last resume the directory's last session that had a turn", async () => {
  const user = await userWithAgent();
  const none = await runWarm(user, ["run", "--continue", "greet me"]);
  expect(none).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining("No session has run"),
  });
  const first = await run(user, "greet me");
  const [id = ""] = /ses_\w{16}/.exec(first.stdout) ?? [];
  const unsigned = await runWarm(user, ["run", "without a key"]);
  expect(unsigned.exitCode).toBe(3);
  for (const flags of [["--continue"], ["--resume", "last"]])
    expect((await runWarm(user, ["run", ...flags, "greet me"])).stdout).toContain(id);
});

test("--format json prints one event per line, and never prints the model's API key", async () => {
  const user = await userWithAgent();
  const { exitCode, stdout, stderr } = await run(user, "--format", "json", "greet me");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const events = eventsIn(stdout);
  expect(events).toContainEqual(
    expect.objectContaining({
      subtype: "session_started",
      data: expect.objectContaining({ runtimeSessionId: expect.any(String) }),
    }),
  );
  expect(events.at(-1)).toMatchObject({
    type: "completion",
    outcome: { status: "completed", text: "Hello there." },
  });
  expect(stdout).not.toContain(model.endpoint("openai-chat").apiKey);
});

test("denies requests without a console, and explains how to allow them", async () => {
  const user = await userWithAgent();
  const denied = await run(user, "write a file");
  expect(denied.exitCode).toBe(0);
  expect(denied.stdout).toMatch(
    /→ write \S+a\.txt\n\? write\n {2}path: a\.txt\n {2}content: made\n {2}✗ denied: /,
  );
  expect(denied.stdout).toContain(
    "To allow actions in advance, use --permissions allow-edits or allow-all",
  );
  const allowed = await run(user, "--permissions", "allow-edits", "write a file");
  expect(allowed.exitCode).toBe(0);
  expect(await readFile(join(user.cwd, "a.txt"), "utf8")).toBe("made");
});

test("uses the models in config/models.json and the defaults in halyard.json after the directory is trusted [s2.config.models-json]", async () => {
  const { id, baseUrl, apiKey } = model.endpoint("openai-chat");
  const user = await newUser({ MY_KEY: apiKey });
  await mkdir(join(user.cwd, "config"));
  await writeFile(
    join(user.cwd, "config", "models.json"),
    `{ // by name
      "models": { "mine": { "model": "${id}", "baseUrl": "${baseUrl}", "api": "openai-chat", "apiKey": "\${MY_KEY}" } },
    }`,
  );
  await writeFile(
    join(user.cwd, "halyard.json"),
    '{ "model": "mine", "permissions": "allow-all", "extra": 1 }',
  );
  const untrusted = await run(user, "--format", "quiet", "greet me");
  expect(untrusted).toMatchObject({ exitCode: 2, stdout: "" });
  expect(untrusted.stderr).toMatch(
    /halyard.json sets the permissions allow-all, which are ignored in favor of ask/,
  );
  expect(untrusted.stderr).toMatch(/The model "mine" is an entry in models.json.*halyard trust/);
  await runWarm(user, ["trust"]);
  const { exitCode, stdout, stderr } = await run(user, "--format", "quiet", "greet me");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Hello there.\n" });
  expect(stderr).toMatch(/^warning: .*halyard.json:1:\d+: extra is not a known setting.*\n$/);
});

test("falls back to Pi with a warning if the default runtime is missing, but not if that runtime is requested", async () => {
  const user = await userWithModel();
  const registry = { default: "codex", runtimes: { codex: { bin: "/nowhere/codex" } } };
  await mkdir(join(user.env.HOME ?? "", ".gastown"));
  await writeFile(join(user.env.HOME ?? "", ".gastown", "runtimes.json"), JSON.stringify(registry));
  const { exitCode, stdout, stderr } = await run(user, "--format", "json", "greet me");
  expect(exitCode).toBe(0);
  const reason = "codex cannot run here: the program /nowhere/codex does not exist.";
  expect(stderr).toMatch(/^warning: .*/);
  expect(stderr).toContain(reason);
  expect(stderr).toContain("Running pi instead.");
  expect(eventsIn(stdout).at(-1)).toMatchObject({
    type: "completion",
    outcome: {
      metadata: { fallback: { from: "codex", reason: expect.stringContaining(reason) } },
    },
  });
  const chosen = await run(user, "--runtime", "codex", "greet me");
  expect(chosen).toMatchObject({ exitCode: 3, stdout: "" });
  expect(chosen.stderr).toContain(reason);
});

test("cancels the turn, kills its processes and exits with 130 after Ctrl-C", async () => {
  const user = await userWithAgent();
  const cli = start(user, "--permissions", "allow-all", "wait a while");
  await cli.says(/→ shell/);
  cli.process.kill("SIGINT");
  const { exitCode, stdout, stderr } = await cli.finished;
  expect(exitCode).toBe(130);
  expect(stdout).toMatch(/■ cancelled · .* ses_\w+\n/);
  expect(stderr).toContain("Cancelling the turn");
  await expect.poll(() => processesIn(user.cwd)).toEqual([]);
});

test("stops the session after SIGTERM", async () => {
  const user = await userWithAgent();
  const cli = start(user, "--permissions", "allow-all", "wait a while");
  await cli.says(/→ shell/);
  cli.process.kill("SIGTERM");
  expect((await cli.finished).exitCode).toBe(130);
  await expect.poll(() => processesIn(user.cwd)).toEqual([]);
  const list = await runWarm(user, ["sessions", "--format", "json"]);
  expect(JSON.parse(list.stdout)).toMatchObject({ state: "stopped", reason: "terminated" });
});

test("exits with 124 when the turn times out", async () => {
  const user = await userWithAgent();
  const { exitCode, stdout, stderr } = await run(user, "--timeout", "0.5", "talk to me");
  expect(exitCode).toBe(124);
  expect(stdout).toContain("✗ failed");
  expect(stderr).toMatch(/increase the message's timeoutMs \(--timeout\)\. \(timed_out\)/);
});

test("ends the turn without an error when the reader closes the pipe", async () => {
  const user = await userWithAgent();
  const pipeline = `"${process.execPath}" "${program}" run ${user.agent.join(" ")} "talk to me" </dev/null | head -n 1`;
  const cli = new StartedCli(user, ["/bin/sh", "-c", pipeline]);
  expect(await cli.finished).toMatchObject({
    stdout: expect.stringMatching(/^acp · .*\n$/),
    stderr: "",
  });
});

test("exits with 3 and prints what to check if the model rejects the key", async () => {
  const user = await userWithModel();
  expect(await run(user, "--format", "quiet", "wrong key")).toEqual({
    exitCode: 3,
    stdout: "",
    stderr: expect.stringMatching(
      /401 bad key[\s\S]*check the key for 127[\s\S]*\(not_signed_in\)/i,
    ),
  });
  const { stdout, exitCode } = await run(user, "--format", "json", "wrong key");
  expect(exitCode).toBe(3);
  expect(eventsIn(stdout).at(-1)).toMatchObject({
    type: "completion",
    outcome: { status: "failed", error: { code: "not_signed_in" } },
  });
});

test("ignores HALYARD_API_KEY for an ACP agent, which has no model endpoint", async () => {
  const user = await newAgentUser(model, { HALYARD_API_KEY: "sk-merely-set" });
  expect(await run(user, "--format", "quiet", "greet me")).toEqual({
    exitCode: 0,
    stdout: "Hello there.\n",
    stderr: "",
  });
});

test("--record writes native messages without keys, and replay converts them to the same deltas and messages", async () => {
  const user = await userWithModel();
  const file = join(user.cwd, "native.jsonl");
  const ran = await run(user, "--record", file, "--format", "json", "greet me");
  const recorded = await readFile(file, "utf8");
  expect(recorded).not.toContain(model.endpoint("openai-chat").apiKey);
  const replayed = await runWarm(user, ["replay", "--runtime", "pi", file]);
  const textsIn = (stdout: string) =>
    eventsIn(stdout).flatMap((event) =>
      event.type === "delta" || (event.type === "message" && event.role === "assistant")
        ? [[event.type, event.text]]
        : [],
    );
  expect(textsIn(replayed.stdout)).toEqual(textsIn(ran.stdout));
  expect(textsIn(replayed.stdout).length).toBeGreaterThan(3);
});

test("rejects a --record file that cannot be written", async () => {
  const user = await userWithAgent();
  const { exitCode, stderr } = await run(user, "--record", "/nowhere/at/all", "greet me");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("The native log /nowhere/at/all cannot be written: ENOENT");
});
