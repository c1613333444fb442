import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Halyard } from "../../contracts/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import { SessionId } from "../../schema/id.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import {
  type AgentRuntimeRunParams,
  createAgentRuntime,
  createPiAgentRuntime,
  openSessionFile,
} from "./index.ts";

/** Creates a Pi runtime in this process, with a scripted model. */
async function open() {
  const home = await temporaryDirectory();
  const env = { PATH: process.env.PATH, HOME: home };
  const adapters = [fakeAdapter({ env })];
  const halyard: Halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
  const model: ScriptedModel = await startScriptedModel();
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const workspaceDir = join(home, "work");
  await mkdir(workspaceDir);
  const providers = { scripted: model.endpoint("anthropic") };
  const runtime = createPiAgentRuntime({ models: { providers } }, { halyard });
  const sessionFile = join(home, "chats", "chat-1.jsonl");
  const paramsOf = (prompt: string): AgentRuntimeRunParams => ({
    sessionId: "chat-1",
    sessionFile,
    workspaceDir,
    prompt,
    provider: "scripted",
    model: "scripted-model",
  });
  return { halyard, model, runtime, sessionFile, workspaceDir, paramsOf };
}

test("a run returns the result of its Pi session with the requested model", async () => {
  const { halyard, model, runtime, paramsOf } = await open();
  expect(runtime).toMatchObject({ kind: "pi", displayName: "Pi Agent" });
  model.on("greet", { text: "Hello.", usage: { inputTokens: 7, outputTokens: 3 } });
  const result = await runtime.run(paramsOf("greet me"));
  const [session] = await halyard.sessions();
  expect(result).toMatchObject({
    reply: "Hello.",
    usage: { input: session?.usage.inputTokens, output: session?.usage.outputTokens },
    meta: { sessionId: session?.id, runtimeSessionId: session?.runtimeSessionId },
  });
  expect(result.usage).toMatchObject({ input: 7, output: 3, total: 10 });
  expect(model.requests.at(-1)?.model).toBe("scripted-model");
});

test("Pi stores the conversation in the session file and continues an existing one [s4.params.session-file]", async () => {
  const { halyard, model, runtime, sessionFile, paramsOf } = await open();
  model.on("BANANA", { text: "I will remember." });
  model.on("which fruit", { text: "A banana." });
  const { meta } = await runtime.run(paramsOf("remember BANANA"));
  const session = await openSessionFile(sessionFile);
  expect(session.format).toBe("pi-agent");
  expect(await session.getMetadata()).toMatchObject({ sessionId: meta.runtimeSessionId });

  await halyard.remove(SessionId.parse(meta.sessionId)); // only the file remains
  const again = await runtime.run(paramsOf("which fruit was it?"));
  expect(again).toMatchObject({ reply: "A banana.", meta: { session: { opened: "started" } } });
  const received = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(received).toContainEqual(expect.stringContaining("remember BANANA"));
  expect((await session.loadHistory()).map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("Pi runs in this process, and its reasoning is reported as it grows [s4.pi.in-process] [s4.callbacks.reasoning-stream]", async () => {
  const { halyard, model, runtime, paramsOf } = await open();
  model.on("ponder", { reasoning: "First this, then that.", text: "That.", chunkSize: 8 });
  const [thoughts, processes]: [string[], unknown[]] = [[], []];
  const { reply, payloads } = await runtime.run({
    ...paramsOf("ponder it"),
    onReasoningStream: ({ text }) => void thoughts.push(text),
    onPartialReply: async () => void processes.push(...(await halyard.processes())),
  });
  expect({ reply, payloads }).toEqual({ reply: "That.", payloads: [{ text: "That." }] });
  expect(thoughts.length).toBeGreaterThan(1);
  for (const [at, text] of thoughts.entries())
    expect(text.startsWith(thoughts[at - 1] ?? "")).toBe(true);
  expect(thoughts.at(-1)).toBe("First this, then that.");
  expect(processes).toEqual([]);
});

test("Pi receives each run's system prompt, and the session stores the origin of the last message [s4.params.messaging]", async () => {
  const { halyard, model, runtime, paramsOf } = await open();
  model.on("greet", { text: "Hello." });
  for (const [senderId, extraSystemPrompt] of [
    ["u1", "Talk like a PIRATE."],
    ["u2", "Talk like a SAILOR."],
  ] as const) {
    const origin = { messageChannel: "telegram", groupId: "g1", senderId };
    await runtime.run({ ...paramsOf("greet me"), ...origin, extraSystemPrompt });
    const received = JSON.stringify(model.requests.at(-1)?.messages);
    const found = ["PIRATE", "SAILOR"].filter((word) => received.includes(word));
    expect(found.map((word) => `Talk like a ${word}.`)).toEqual([extraSystemPrompt]);
  }
  const labels = { "run.messageChannel": "telegram", "run.groupId": "g1", "run.senderId": "u2" };
  expect(await halyard.sessions()).toMatchObject([{ labels, turns: 2 }]);
});

test.each([
  ["Pi", ["pi", "fake", "pi"]],
  ["another runtime", ["fake", "pi", "fake", "pi"]],
] as const)(
  "continues a conversation that %s started and another runtime continued, with all messages [s4.rollback.conversation]",
  async (_, kinds) => {
    const { halyard, model, runtime, paramsOf } = await open();
    model.on("number", { text: "Noted." });
    const fake = await createAgentRuntime({}, "main", "fake", { halyard });
    for (const [at, kind] of kinds.entries()) {
      const prompt =
        kind === "pi" ? `number ${at}` : `say fake ${at}; sh echo ${at}; say done ${at}`;
      await (kind === "pi" ? runtime : fake).run(paramsOf(prompt));
    }
    const received = JSON.stringify(model.requests.at(-1)?.messages);
    for (const [at, kind] of kinds.entries())
      for (const text of kind === "pi" ? [`number ${at}`] : [`fake ${at}`, `done ${at}`])
        expect(received).toContain(text);
  },
);

test("rejects a session file that is not in Pi's format, and does not change it", async () => {
  const { runtime, sessionFile, paramsOf } = await open();
  await mkdir(join(sessionFile, ".."));
  await writeFile(sessionFile, "dear diary\n");
  await expect(runtime.run(paramsOf("greet me"))).rejects.toMatchObject({ code: "invalid_input" });
  expect(await readFile(sessionFile, "utf8")).toBe("dear diary\n");
});

test("enforceFinalTag returns only the text between the tags [s4.pi.enforce-final-tag] [s4.options.pi]", async () => {
  const { model, runtime, paramsOf } = await open();
  model.on("ask", { text: "Let me see. <final>It is 42.</final> I hope.", chunkSize: 5 });
  const partials: string[] = [];
  const onPartialReply = ({ text }: { text: string }) => void partials.push(text);
  const tagged = { ...paramsOf("ask"), piOptions: { enforceFinalTag: true }, onPartialReply };
  const enforced = await runtime.run(tagged);
  expect(enforced).toMatchObject({ reply: "It is 42.", payloads: [{ text: "It is 42." }] });
  for (const text of partials) expect("It is 42.").toContain(text);
  const plain = await runtime.run(paramsOf("ask again"));
  expect(plain.reply).toBe("Let me see. <final>It is 42.</final> I hope.");
});

test("rejects a session file that is a directory, before the turn", async () => {
  const { halyard, runtime, workspaceDir, paramsOf } = await open();
  const running = runtime.run({ ...paramsOf("greet me"), sessionFile: workspaceDir });
  const message = expect.stringContaining("it is a directory");
  await expect(running).rejects.toMatchObject({ code: "invalid_input", message });
  const options = { sessionFile: workspaceDir };
  const start = async () => {
    const session = await halyard.start({ runtime: "pi", cwd: workspaceDir, options });
    await session.ready();
  };
  await expect(start()).rejects.toMatchObject({ code: "invalid_input" });
});

test("conversations that share a session file wait for each other, so that the file remains one Pi session", async () => {
  const { model, runtime, sessionFile, paramsOf } = await open();
  model.on("hello", { text: "Hello.", chunkSize: 1, chunkDelayMs: 20 });
  await Promise.all(
    ["chat-1", "chat-2"].map((sessionId) => runtime.run({ ...paramsOf("hello"), sessionId })),
  );
  const lines = (await readFile(sessionFile, "utf8")).trim().split("\n");
  const types = lines.map((line) => JSON.parse(line).type);
  expect(types.filter((type) => type === "session")).toEqual(["session"]);
  expect(types.filter((type) => type === "message")).toHaveLength(4);
});

test("rejects a provider for which Pi has no credentials, instead of sending the prompt to another one", async () => {
  const home = await temporaryDirectory();
  const model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
  onTestFinished(() => model.close());
  const { baseUrl, apiKey } = model.endpoint("anthropic");
  const models = [{ id: "scripted", name: "scripted" }];
  const providers = { mine: { baseUrl, api: "anthropic-messages", apiKey, models } };
  await mkdir(join(home, ".pi", "agent"), { recursive: true });
  await writeFile(join(home, ".pi", "agent", "models.json"), JSON.stringify({ providers }));
  const create = { home: join(home, "halyard"), env: { PATH: process.env.PATH, HOME: home } };
  const runtime = createPiAgentRuntime({}, { create });
  const run = (provider: string) =>
    runtime.run({
      sessionId: provider,
      sessionFile: join(home, `${provider}.jsonl`),
      workspaceDir: home,
      prompt: "hello",
      provider,
      model: "scripted",
    });
  await expect(run("openai")).rejects.toMatchObject({
    code: "not_signed_in",
    message: expect.stringContaining('"openai"'),
  });
  expect(model.requests).toEqual([]);
  expect(await run("mine")).toMatchObject({ reply: "Hello." });
});
