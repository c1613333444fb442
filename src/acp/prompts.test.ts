import { expect, test, vi } from "vitest";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { openFirst, openScene, serve } from "../../test/acp-client/scene.ts";
import { eventually } from "../testing/eventually.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { samplePng } from "../testing/sample-image.ts";

test("reports the negotiated version and Halyard's capabilities", async () => {
  const { client, log } = await openFirst();
  expect(await client.greeting).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: "halyard", version: "1.2.3" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: true, audio: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
  });
  expect(log).toEqual(["using ACP 1 with editor 9"]);
});

test("sends a turn's text and reasoning in chunks, without repeating them", async () => {
  const { client, cwd, halyard } = await openFirst();
  const sessionId = await client.newSession(cwd);
  const answer = await client.prompt(sessionId, "think so so; say one two; say three");
  expect(answer).toMatchObject({ stopReason: "end_turn", usage: { outputTokens: 5 } });
  expect(client.receivedText("agent_thought_chunk")).toBe("so so");
  expect(client.receivedText("agent_message_chunk")).toBe("one twothree");
  const messageIds = client.of("agent_message_chunk").map(({ messageId }) => messageId);
  expect(new Set(messageIds).size).toBe(2);
  expect(client.receivedText("user_message_chunk")).toBe("");
  expect(await halyard.sessions()).toMatchObject([{ id: sessionId, runtime: "fake", cwd }]);
});

test("ends a cancelled prompt, even while a request waits for the client, and accepts the next prompt", async () => {
  const { client, cwd } = await openFirst({ answer: () => new Promise(() => {}) });
  const sessionId = await client.newSession(cwd);
  const waiting = client.prompt(sessionId, "wait");
  await client.agent.notify("session/cancel", { sessionId });
  expect(await waiting).toMatchObject({ stopReason: "cancelled" });
  const asking = client.prompt(sessionId, "tool write a.txt x");
  await eventually(() => expect(client.asked).toHaveLength(1));
  await client.agent.notify("session/cancel", { sessionId });
  expect(await asking).toMatchObject({ stopReason: "cancelled" });
  expect(client.of("tool_call_update")).toMatchObject([{ status: "failed" }]);
  expect(await client.prompt(sessionId, "say hi")).toMatchObject({ stopReason: "end_turn" });
});

test("ends a prompt whose request is cancelled", async () => {
  const { client, cwd } = await openFirst();
  const sessionId = await client.newSession(cwd);
  const taking = new AbortController();
  const params = { sessionId, prompt: [{ type: "text" as const, text: "wait" }] };
  const options = { cancellationSignal: taking.signal };
  const prompting = client.agent.request("session/prompt", params, options);
  taking.abort();
  expect(await prompting).toMatchObject({ stopReason: "cancelled" });
});

test("rejects a second prompt while the first is running", async () => {
  const { client, cwd } = await openFirst();
  const sessionId = await client.newSession(cwd);
  const prompting = client.prompt(sessionId, "wait");
  await expect(client.prompt(sessionId, "say hi")).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("A prompt is running"),
  });
  await client.agent.notify("session/cancel", { sessionId });
  await prompting;
});

test("returns the runtime's error for a failed turn and accepts the next prompt", async () => {
  const { client, cwd } = await openFirst();
  const sessionId = await client.newSession(cwd);
  await expect(client.prompt(sessionId, "fail the model is on fire")).rejects.toMatchObject({
    code: -32603,
    message: "the model is on fire",
    data: { code: "agent_failed" },
  });
  expect(await client.prompt(sessionId, "say hi")).toMatchObject({ stopReason: "end_turn" });
});

test("returns an error when the runtime exits, and resumes the runtime for the next prompt", async () => {
  const { client, cwd } = await openFirst();
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "say first");
  await expect(client.prompt(sessionId, "die 3")).rejects.toMatchObject({
    data: { code: "agent_exited" },
  });
  await client.prompt(sessionId, "recall");
  expect(client.receivedText("agent_message_chunk")).toBe("firstsay first");
});

/** Creates a session whose runtime has exited and is resumed only when `resume` is called. */
async function openDead() {
  const fake = fakeAdapter();
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const connect = vi.fn<typeof fake.connect>(async (request) => {
    if (request.resume !== undefined) await resumed;
    return fake.connect(request);
  });
  const scene = await openScene({ adapters: [{ ...fake, connect }] });
  const client = new FirstClient(serve(scene).stream);
  const sessionId = await client.newSession(scene.cwd);
  await client.prompt(sessionId, "say first");
  await expect(client.prompt(sessionId, "die")).rejects.toMatchObject({ code: -32603 });
  const resuming = () => eventually(() => expect(connect).toHaveBeenCalledTimes(2));
  return { ...scene, client, sessionId, resuming, resume };
}

test("cancels a prompt while its runtime is being resumed, and accepts the next prompt", async () => {
  const { client, sessionId, resuming, resume, halyard } = await openDead();
  const prompting = client.prompt(sessionId, "wait");
  await resuming();
  await client.agent.notify("session/cancel", { sessionId });
  expect(await prompting).toEqual({ stopReason: "cancelled" });
  const taking = new AbortController();
  const params = { sessionId, prompt: [{ type: "text" as const, text: "wait" }] };
  const options = { cancellationSignal: taking.signal };
  const taken = client.agent.request("session/prompt", params, options);
  taking.abort();
  expect(await taken).toEqual({ stopReason: "cancelled" });
  resume();
  expect(await client.prompt(sessionId, "say on")).toMatchObject({ stopReason: "end_turn" });
  expect(client.receivedText("agent_message_chunk")).toBe("firston");
  expect(await halyard.sessions()).toMatchObject([{ turns: 3 }]);
});

test("accepts only the first of two prompts for an exited runtime, and sends each update once", async () => {
  const { client, sessionId, resuming, resume } = await openDead();
  const first = client.prompt(sessionId, "say one; wait");
  const second = client.prompt(sessionId, "say two");
  await resuming();
  resume();
  await expect(second).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("A prompt is running"),
  });
  await eventually(() => expect(client.receivedText("agent_message_chunk")).toBe("firstone"));
  await client.agent.notify("session/cancel", { sessionId });
  expect(await first).toMatchObject({ stopReason: "cancelled" });
  await client.prompt(sessionId, "say three");
  expect(client.receivedText("agent_message_chunk")).toBe("firstonethree");
});

test("accepts text, links and embedded text and rejects other content with the reason", async () => {
  const { client, cwd, halyard } = await openFirst();
  const sessionId = await client.newSession(cwd);
  const resource = { uri: "file:///b.txt", text: "the rest" };
  await client.agent.request("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "say see " },
      { type: "resource_link", name: "a.txt", uri: "file:///a.txt" },
      { type: "resource", resource },
    ],
  });
  expect(client.receivedText("agent_message_chunk")).toBe(
    'see [a.txt](file:///a.txt)\n<context ref="file:///b.txt">\nthe rest\n</context>\n',
  );
  const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
  await expect(
    client.agent.request("session/prompt", { sessionId, prompt: [audio] }),
  ).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("cannot contain audio"),
  });
  await expect(client.prompt(sessionId, " ")).rejects.toMatchObject({ code: -32602 });
  expect(await halyard.sessions()).toMatchObject([{ turns: 1 }]);
});

test("accepts images in a prompt, and rejects content that is not an image", async () => {
  const { client, cwd } = await openFirst();
  const sessionId = await client.newSession(cwd);
  const prompt = (data: string) =>
    client.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "image", data, mimeType: "image/png" },
        { type: "text", text: "images" },
      ],
    });
  await prompt(samplePng);
  expect(client.receivedText("agent_message_chunk")).toMatch(/^image\/png:[0-9a-f]{64}$/);
  await expect(prompt("AAAA")).rejects.toMatchObject({
    message: expect.stringContaining("is not a PNG"),
  });
});

test("records the trace context from _meta with the turn", async () => {
  const { client, cwd, halyard } = await openFirst();
  const sessionId = await client.newSession(cwd);
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const prompt = [{ type: "text" as const, text: "say hello" }];
  await client.agent.request("session/prompt", { sessionId, prompt, _meta: { traceparent } });
  const session = await halyard.session(sessionId);
  const started = [];
  for await (const event of session.events({ follow: false }))
    if (event.type === "system" && event.subtype === "turn_started") started.push(event.data);
  expect(started).toEqual([{ traceparent }]);
});
