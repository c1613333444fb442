import { cp, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { openScene } from "../../../test/real/scene.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { ccsdkAdapter } from "../../adapters/claude/sdk/sdk.ts";
import {
  type AgentEvent,
  createAgentRuntime,
  createCcSdkAgentRuntime,
  logToolEvent,
  openSessionFile,
  type SessionMessage,
} from "./index.ts";

/** Returns the parts of the messages without their ids. */
const outline = (messages: readonly SessionMessage[]) =>
  messages.flatMap(({ role, content }) =>
    content.map((part) => [role, part.type, "text" in part ? part.text : ""]),
  );

test("createCcSdkAgentRuntime runs the SDK, and its session file has the same content as the SDK's own file [s4.factory.ccsdk] [s4.session.adapter]", async () => {
  const scene = await openScene((paths) => [ccsdkAdapter(paths)]);
  const { home, halyard, model, cwd: workspaceDir } = scene;
  const toolCalls = [claudeToolCalls.shell("echo one"), claudeToolCalls.shell("echo two")];
  model.on("count", { text: "I count.", toolCalls }, { text: "Two." });
  const providers = { scripted: model.endpoint("anthropic") };
  const runtime = createCcSdkAgentRuntime({ models: { providers } }, { halyard });
  const { reply, meta } = await runtime.run({
    sessionId: "chat-1",
    sessionFile: join(home, "chat-1.jsonl"),
    workspaceDir,
    prompt: "count them",
    provider: "scripted",
    model: "scripted",
    ccsdkOptions: { hooksEnabled: false },
  });
  expect(reply).toBe("Two.");
  expect(meta).toMatchObject({ runtime: "ccsdk", attempts: [{ runtime: "ccsdk" }] });
  const state = join(home, "halyard", "sessions", meta.sessionId ?? "");
  const files = await readdir(state, { recursive: true });
  const native = files.find((file) => file.endsWith(`${meta.runtimeSessionId}.jsonl`)) ?? "";
  const theirs = await openSessionFile(join(state, native));
  const ours = await openSessionFile(join(home, "chat-1.jsonl"));
  // Parallel tools end in any order.
  const sorted = async (session: typeof ours) =>
    outline(await session.loadHistory())
      .map(String)
      .toSorted();
  expect(await sorted(theirs)).toEqual([
    "assistant,text,I count.",
    "assistant,text,Two.",
    "assistant,tool_call,",
    "assistant,tool_call,",
    "tool_result,tool_result,one",
    "tool_result,tool_result,two",
    "user,text,count them",
  ]);
  expect(await sorted(ours)).toEqual(await sorted(theirs));
  expect(await theirs.getMetadata()).toEqual({
    sessionId: meta.runtimeSessionId,
    cwd: workspaceDir,
  });
});

test("runs on the installed Pi if the installed SDK cannot be loaded", async () => {
  const { home, model, cwd: workspaceDir } = await openScene(() => []);
  model.on("greet", { text: "Hello." });
  const sdk = join(home, "own/runtimes/ccsdk/node_modules/@anthropic-ai/claude-agent-sdk");
  const installed = join(runtimesDir, "ccsdk/node_modules/@anthropic-ai/claude-agent-sdk");
  await cp(installed, sdk, { recursive: true });
  await writeFile(join(sdk, "sdk.mjs"), 'throw new Error("bad build");');
  await symlink(join(runtimesDir, "pi"), join(home, "own/runtimes/pi"));
  const create = { home: join(home, "own"), env: { PATH: process.env.PATH, HOME: home } };
  const config = { models: { providers: { scripted: model.endpoint("anthropic") } } };
  const runtime = await createAgentRuntime(config, "main", "ccsdk", { create });
  const { reply, meta } = await runtime.run({
    ...{ sessionId: "chat-1", sessionFile: join(home, "chat-1.jsonl"), workspaceDir },
    ...{ prompt: "greet me", provider: "scripted", model: "scripted" },
  });
  expect(reply).toBe("Hello.");
  const error = expect.stringContaining("bad build");
  expect(meta.attempts).toEqual([{ runtime: "ccsdk", error }, { runtime: "pi" }]);
});

test("the factory's CCSDK agent accepts the seed's parameters and callbacks, and returns the seed's result fields", async () => {
  const {
    home,
    halyard,
    model,
    cwd: workspaceDir,
  } = await openScene((paths) => [ccsdkAdapter(paths)]);
  const usage = { inputTokens: 40, outputTokens: 7 };
  const toolCalls = [claudeToolCalls.shell("echo one; exit 3")];
  model.on(
    "count",
    { reasoning: "Hm.", text: "I count.", toolCalls, usage },
    { text: "1.", usage },
  );
  model.on("sing", { text: "la ".repeat(400), chunkSize: 3, chunkDelayMs: 30 });
  model.on("break", { error: { status: 400, message: "the model is gone" } });
  const agents = { defaults: { runtime: "pi" }, list: [{ id: "coder", runtime: "ccsdk" }] };
  const config = { agents, models: { providers: { scripted: model.endpoint("anthropic") } } };
  const runtime = await createAgentRuntime(config, "coder", undefined, { halyard });
  expect(runtime).toMatchObject({ kind: "ccsdk", displayName: expect.any(String) });
  const sessionFile = join(home, "chat-1.jsonl");
  const about = { provider: "scripted", model: "scripted" };
  const params = { sessionId: "chat-1", sessionFile, workspaceDir, ...about };
  const received: string[] = [];
  const record = (name: string) => async (payload: object) => {
    await new Promise((resolve) => setImmediate(resolve)); // simulates a slow callback
    received.push(`${name} ${JSON.stringify(payload)}`);
  };
  const log = (line: string) => void received.push(line);
  const onAgentEvent = async (event: AgentEvent) => {
    await new Promise((resolve) => setImmediate(resolve));
    logToolEvent(event, { log });
    if (/^run_|_delta$|^text$|^reasoning$/.test(event.type)) received.push(event.type);
  };
  const result = await runtime.run({
    ...params,
    prompt: "count them",
    runId: "run-1",
    ...{ messageChannel: "telegram", senderId: "u1", groupId: "g1" },
    onPartialReply: record("partial"),
    onBlockReply: record("block"),
    onReasoningStream: record("reasoning"),
    onToolResult: record("tool"),
    onAgentEvent,
    piOptions: { enforceFinalTag: true },
    ccsdkOptions: { hooksEnabled: true },
  });
  expect(result).toEqual({
    reply: "1.",
    payloads: [{ text: "I count." }, { text: "1." }],
    usage: {
      ...{ input: 80, output: 14, cacheRead: 0, cacheWrite: 0, total: 94 },
      costUsd: expect.any(Number),
    },
    meta: {
      ...{ ...about, runtime: "ccsdk", runId: "run-1", aborted: false },
      attempts: [{ runtime: "ccsdk" }],
      session: { opened: "started" },
      ...{ sessionId: expect.stringMatching(/^ses_/), runtimeSessionId: expect.any(String) },
      durationMs: expect.any(Number),
    },
  });
  expect(received).toEqual([
    "run_start",
    ...["reasoning_delta", 'reasoning {"text":"Hm."}', "reasoning"],
    ...["text_delta", 'partial {"text":"I count."}', "text", 'block {"text":"I count."}'],
    "Tool: Bash starting... (run=run-1)",
    "Tool: Bash failed (run=run-1)",
    expect.stringMatching(/^tool .*one.*"toolName":"Bash","toolCallId":"[\w-]+","isError":true}$/),
    ...["text_delta", 'partial {"text":"1."}', "text", 'block {"text":"1."}'],
    "run_end",
  ]);
  const { sessionId = "" } = result.meta;
  expect(await halyard.find(sessionId)).toMatchObject({
    state: "stopped",
    labels: { "run.messageChannel": "telegram", "run.senderId": "u1", "run.groupId": "g1" },
  });

  const patience = new AbortController();
  const abortSignal = patience.signal;
  const onPartialReply = () => patience.abort();
  const sung = await runtime.run({ ...params, prompt: "sing", abortSignal, onPartialReply });
  expect(sung).toMatchObject({
    reply: expect.stringMatching(/^la /),
    meta: { sessionId, session: { opened: "resumed" }, aborted: true },
  });
  const never = await runtime.run({ ...params, prompt: "count them", abortSignal });
  expect(never).toMatchObject({ reply: "", meta: { session: { opened: "none" }, aborted: true } });
  const broken = runtime.run({ ...params, prompt: "break it" });
  await expect(broken).rejects.toThrow("the model is gone");
});
