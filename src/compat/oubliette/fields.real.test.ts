import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openServer, shell } from "../../../test/compat/oubliette.ts";
import { openRecordedLine } from "../../../test/opencode/recorded-line.ts";
import { droidToolCalls } from "../../adapters/droid/events/tool-calls.ts";
import { collect, until } from "../../testing/compat-suite/compat-stage.ts";
import { newRuntime, type Runtime, type RuntimeContext, type StreamEvent } from "./index.ts";

/** The names of the tools that run a command and read a file. */
const tools = {
  droid: { shell: "Execute", read: "Read" },
  opencode: { shell: "bash", read: "read" },
} as const;

/** The calls of the tools that create a file. */
const create = {
  droid: droidToolCalls.write,
  opencode: (filePath: string, content: string) => ({
    name: "write",
    input: { filePath, content },
  }),
};

const text = (role: string, channel: string, words: string) => ({
  type: "message",
  ...{ role, channel, text: words, messageId: expect.any(String) },
});

/** Returns an event's type-specific fields. Checks the others. */
function bodyOf({ seq, sessionID, turnID, timestamp, ...body }: StreamEvent, id: string) {
  expect([sessionID, new Date(timestamp).toISOString()]).toEqual([id, timestamp]);
  expect(seq).toBeGreaterThan(0);
  if (body.type !== "system") expect(turnID).toMatch(/^trn_/);
  return body;
}

// Each test starts several programs, which takes long on a busy machine.
describe.each(["droid", "opencode"] as const)("%s", { timeout: 240_000 }, (name) => {
  test("has every executor member and every event field", async () => {
    const { root, model, config, open, pids, workingDir } = await openServer(name);
    const [works, fails] = [shell[name]("echo out"), shell[name]("exit 3")];
    const usage = { inputTokens: 40, outputTokens: 7 };
    const first = { reasoning: "Hm.", text: "First.", toolCalls: [works], usage };
    model.on("build", first, { toolCalls: [fails], usage }, { text: "Built.", usage });
    model.on("break", { error: { status: 400, message: "the model is gone" } });
    model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
    model.on("recall", { text: "You asked me to build." });
    const nowhere = { home: join(root, "empty"), env: { HOME: root, PATH: root } };
    await using missing = newRuntime(config, { create: nowhere });
    expect([missing.name, await missing.isAvailable()]).toEqual([name, false]);
    const starting = missing.initialize({ workingDir, model: "fast" });
    await expect(starting).rejects.toMatchObject({ code: "runtime_unavailable" });
    const runtime = open();
    expect([runtime.name, await runtime.isAvailable()]).toEqual([name, true]);
    const context = { workingDir, model: "fast" };
    await expectNoStart(runtime, context, { pids, isServed: name === "opencode" });
    await runtime.initialize(context);
    const executor = await runtime.executeStreaming({ prompt: "build it" });
    await executor.done;
    await executor.sendMessage("break it");
    const broken = {
      code: "agent_failed",
      message: expect.stringContaining("the model is gone"),
    };
    expect(await executor.wait()).toMatchObject({ exitCode: 1, error: broken });
    expect(executor.isClosed, "a failed turn does not end the session").toBe(false);
    await executor.sendMessage("sing");
    await until(executor.events, (event) => event.type === "delta" && event.text.includes("la"));
    await Promise.all([executor.cancel(), executor.cancel()]);
    await executor.cancel();
    expect(await executor.wait()).toMatchObject({ exitCode: 130, error: { code: "cancelled" } });
    expect(executor.isClosed).toBe(true);
    await executor.close();
    await expect(executor.sendMessage("recall")).rejects.toMatchObject({ code: "session_stopped" });
    const { sessionID, runtimeSessionID } = executor;

    const bodies = (await collect(executor.events)).map((event) => bodyOf(event, sessionID));
    const spoken = bodies.filter(({ type }) => !["system", "delta"].includes(type));
    const command = (word: string) => expect.objectContaining({ command: word });
    const tool = { toolId: expect.any(String), toolName: tools[name].shell };
    const end = { type: "completion", durationMs: expect.any(Number) };
    const total = { inputTokens: 120, outputTokens: 21 };
    const out = expect.stringMatching(/^out\n/);
    expect(spoken).toEqual([
      text("user", "text", "build it"),
      text("assistant", "reasoning", "Hm."),
      text("assistant", "text", "First."),
      { type: "tool_call", ...tool, parameters: command("echo out") },
      { type: "tool_result", ...tool, value: out, isError: false },
      { type: "tool_call", ...tool, parameters: command("exit 3") },
      { type: "tool_result", ...tool, value: expect.any(String), isError: true },
      text("assistant", "text", "Built."),
      { ...end, status: "completed", finalText: "Built.", usage: expect.objectContaining(total) },
      text("user", "text", "break it"),
      { type: "error", code: "agent_failed", text: broken.message },
      { ...end, status: "failed", finalText: "", usage: expect.anything() },
      text("user", "text", "sing"),
      text("assistant", "text", expect.stringMatching(/^la /)),
      {
        ...end,
        status: "cancelled",
        finalText: expect.stringMatching(/^la /),
        usage: expect.anything(),
      },
    ]);
    const stopped = { subtype: "session_stopped", text: "cancelled", value: { state: "stopped" } };
    expect(bodies.at(-1)).toEqual({ type: "system", ...stopped });
    const deltas = bodies.flatMap((body) => (body.type === "delta" ? [body] : []));
    const joined = (channel: string) =>
      deltas.flatMap((delta) => (delta.channel === channel ? [delta.text] : [])).join("");
    expect([joined("reasoning"), joined("text")]).toEqual([
      "Hm.",
      expect.stringMatching(/^First\.Built\.la /),
    ]);
    expect(await collect(executor.errors)).toMatchObject([broken]);

    const servers = await pids();
    await expectNoPing(runtime, servers);
    const later = open(); // another instance without initialize: the session has its model
    expect(await later.execute({ prompt: "recall", sessionID, depth: 0 })).toEqual({
      sessionID,
      runtimeSessionID,
      result: "You asked me to build.",
      tokens: { input: expect.any(Number), output: expect.any(Number) },
      duration: expect.any(Number),
      turns: 4,
    });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("build it");
    expect(await pids(), "OpenCode's server is shared").toEqual(servers);
  });

  test("applies every request field", async () => {
    await using line = await openRecordedLine();
    const { model, open, workingDir } = await openServer(name, { reach: (url) => line.to(url) });
    model.on("greet", { text: "Hello." });
    model.on("write", { toolCalls: [shell[name]("echo $GREETING > made.txt")] }, { text: "Done." });
    model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
    const runtime = open();
    await runtime.initialize({ workingDir, model: "fast", env: { GREETING: "ahoy" } });
    const written = () => readFile(join(workingDir, "made.txt"), "utf8").catch(() => "nothing");
    const write = { prompt: "write it", autonomy: "high" } as const;
    const { sessionID: parentID } = await runtime.execute(write);
    expect(await written()).toBe("ahoy\n");

    const settings = { enabledTools: [tools[name].read], parentID, depth: 1 };
    const request = { ...settings, reasoning: "low", systemPrompt: "Talk like a PIRATE." } as const;
    const child = await runtime.execute({ prompt: "greet me", ...request });
    const observed = model.requests.at(-1);
    expect(observed?.tools).toEqual([tools[name].read]);
    expect(JSON.stringify(observed?.messages)).toContain("PIRATE");
    if (name === "droid")
      expect(JSON.parse(line.requests.at(-1)?.body ?? "")).toMatchObject({
        reasoning_effort: "low",
      });
    const { runtimeSessionID } = child;
    const again = { ...request, systemPrompt: "Talk like a SAILOR.", runtimeSessionID };
    expect(await runtime.execute({ prompt: "greet me", ...again })).toMatchObject({
      ...{ sessionID: child.sessionID, result: "Hello.", turns: 2 },
    });
    expect(model.requests.at(-1)?.tools).toEqual([tools[name].read]);
    const instructions = JSON.stringify(model.requests.at(-1)?.messages);
    expect([/SAILOR/, /PIRATE/].map((word) => word.test(instructions))).toEqual([true, false]);
    const deep = runtime.execute({ prompt: "greet me", parentID, depth: 2 });
    await expect(deep).rejects.toMatchObject({ code: "invalid_input" });

    const disabled = { disabledTools: [tools[name].shell], prompt: "greet me" };
    await runtime.execute(disabled);
    expect(model.requests.at(-1)?.tools).not.toContain(tools[name].shell);
    await expectCancelled(runtime);
    const foreign = runtime.execute({ ...disabled, disabledTools: ["deploy_preview"] });
    await expect(foreign).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/has no tool "deploy_preview"\. Available tools: /),
    });

    await runtime.execute({ ...write, env: { GREETING: "no" }, autonomy: "low" });
    expect(await written(), "low denies commands").toBe("ahoy\n");
    const edited = join(workingDir, "edited.txt");
    const command = { toolCalls: [shell[name]("echo no > made.txt")] };
    model.on("do both", { toolCalls: [create[name](edited, "by a tool\n")] }, command, {
      text: "Done.",
    });
    await runtime.execute({ prompt: "do both", autonomy: "medium" });
    expect(await readFile(edited, "utf8"), "medium allows edits").toBe("by a tool\n");
    expect(await written(), "medium denies commands").toBe("ahoy\n");
    const { sessionID } = child;
    await runtime.execute({ prompt: "write it", sessionID: parentID, useSpec: true });
    expect(await written(), "a plan runs no commands").toBe("ahoy\n");
    const unknown = { ...disabled, sessionID };
    await expect(runtime.execute(unknown)).rejects.toMatchObject({ code: "unsupported" });
  });
});

interface Watched {
  /** The processes of all sessions. */
  pids(): Promise<number[]>;
  /** True if `initialize` starts a server. */
  readonly isServed: boolean;
}

/** Checks that a signal aborts `initialize` before and during its work, and that no process remains. */
async function expectNoStart(
  runtime: Runtime,
  context: RuntimeContext,
  { pids, isServed }: Watched,
): Promise<void> {
  const early = runtime.initialize(context, { signal: AbortSignal.abort() });
  await expect(early).rejects.toMatchObject({ code: "cancelled" });
  const ping = runtime.ping({ signal: AbortSignal.abort() });
  await expect(ping).rejects.toMatchObject({ code: "cancelled" });
  expect(await pids()).toEqual([]);
  const patience = new AbortController();
  const late = runtime.initialize(context, patience);
  if (isServed) await expect.poll(pids, { timeout: 60_000, interval: 20 }).toHaveLength(1);
  patience.abort();
  await expect(late).rejects.toMatchObject({ code: "cancelled" });
  await expect.poll(pids, { timeout: 60_000 }).toEqual([]);
}

/** Checks that a signal aborts `ping` while the server does not answer. */
async function expectNoPing(runtime: Runtime, servers: readonly number[]): Promise<void> {
  for (const server of servers) process.kill(server, "SIGSTOP");
  const isServed = servers.length > 0;
  const ping = runtime.ping({ signal: isServed ? AbortSignal.timeout(200) : AbortSignal.abort() });
  const code = isServed ? "timed_out" : "cancelled";
  await expect(ping).rejects.toMatchObject({ code });
  for (const server of servers) process.kill(server, "SIGCONT");
  await runtime.ping();
}

/** Checks that the deadline of a request ends its turn, and that a close ends a stream. */
async function expectCancelled(runtime: Runtime): Promise<void> {
  const patience = new AbortController();
  const { signal } = patience;
  const executor = await runtime.executeStreaming({ prompt: "sing" }, { signal });
  await until(executor.events, ({ type }) => type === "delta");
  patience.abort(new DOMException("The deadline has passed.", "TimeoutError"));
  expect(await executor.wait()).toMatchObject({ exitCode: 124, error: { code: "timed_out" } });
  const late = runtime.execute({ prompt: "sing" }, { signal });
  await expect(late).rejects.toMatchObject({ code: "timed_out" });
  await executor.sendMessage("sing");
  const isSinging = ({ turnID, type }: StreamEvent) => type === "delta" && turnID !== first;
  const first = (await until(executor.events, ({ type }) => type === "delta")).turnID;
  await until(executor.events, isSinging);
  const reading = collect(executor.events);
  await executor.close();
  expect((await reading).at(-1)).toMatchObject({ type: "system", subtype: "session_stopped" });
  expect(await executor.wait()).toMatchObject({ exitCode: 130 });
}
