import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { FirstClient } from "../../../test/acp-client/first-client.ts";
import { openRemote, openWebSocket, TOKEN } from "../../../test/acp-client/remote-scene.ts";
import { SecondClient } from "../../../test/acp-client/second-client.ts";
import { eventually } from "../../testing/eventually.ts";

const authorization = `Bearer ${TOKEN}`;

/** Opens a WebSocket without the SDK. Resolves with the status of the response. */
function dial(url: string, options: ClientOptions, protocols: string[] = []): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, protocols, options);
    onTestFinished(() => socket.terminate());
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.on("error", () => {});
  });
}

test("requires a token and an allowed Origin and Host", async () => {
  const { url, faults } = await openRemote();
  const headers = { authorization };
  const bearer = (token: string) => `bearer.${Buffer.from(token).toString("base64url")}`;
  expect(await dial(url, {})).toBe(401);
  expect(await dial(url, { headers: { authorization: "Bearer wrong" } })).toBe(401);
  expect(await dial(url, { headers, origin: "https://evil.example" })).toBe(403);
  expect(await dial(url, { headers: { ...headers, host: "evil.example" } })).toBe(403);
  expect(await dial(url.replace("/acp", "/v1/events"), { headers })).toBe(404);
  expect(await dial(url, {}, ["acp", bearer("wrong")])).toBe(401);
  expect(await dial(url, {}, ["acp", bearer("a\nb")])).toBe(401);
  expect(await dial(url, {}, ["acp", bearer(TOKEN)])).toBe(101);
  expect(await dial(url, { headers })).toBe(101);
  const http = url.replace("ws", "http");
  expect((await fetch(http, { method: "POST" })).status).toBe(401);
  expect(faults).toEqual([]);
});

/** Sends frames. Returns the server's responses, and its close code if a close is expected. */
async function talk(url: string, frames: readonly (string | Buffer)[], isExpected = true) {
  const socket = new WebSocket(url, { headers: { authorization } });
  onTestFinished(() => socket.terminate());
  const received: unknown[] = [];
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  socket.on("message", (data) => received.push(JSON.parse(String(data))));
  socket.on("error", () => {}); // the server may close while a frame is sent
  await new Promise((resolve) => socket.on("open", resolve));
  for (const frame of frames) socket.send(frame);
  if (isExpected) return { received, code: await closed };
  await eventually(() => expect(received.length).toBeGreaterThan(0));
  socket.terminate();
  return { received, code: undefined };
}

const greeting = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
});

test("continues to serve clients after a client has sent invalid frames", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {}); // silences the warnings of the SDK
  const { url, cwd, faults, endpoint } = await openRemote();
  expect(await talk(url, ["{"], false)).toMatchObject({ received: [{ error: { code: -32700 } }] });
  expect(await talk(url, ["[]"], false)).toMatchObject({ received: [{ error: { code: -32600 } }] });
  expect(await talk(url, ["7"], false)).toMatchObject({ received: [{ error: { code: -32600 } }] });
  expect(await talk(url, [Buffer.from(greeting)])).toEqual({ received: [], code: 1003 });
  const other = { jsonrpc: "2.0", id: 1, method: "session/list", params: {} };
  expect(await talk(url, [JSON.stringify(other)])).toMatchObject({ code: 1002 });
  expect(await talk(url, ["x".repeat(32 * 1024 * 1024 + 1)])).toMatchObject({ code: 1009 });
  const impatient = await openRemote({}, { greetingMs: 100 });
  expect(await talk(impatient.url, [])).toMatchObject({ code: 1008 }); // a client that sends nothing
  const client = new FirstClient(openWebSocket(url).stream);
  const sessionId = await client.newSession(cwd);
  await client.prompt(sessionId, "say still here");
  expect(client.receivedText("agent_message_chunk")).toBe("still here");
  await eventually(() => expect(endpoint.connections).toBe(1));
  expect(faults).toEqual([]);
});

test("shows a session to 50 clients, sends a request to all of them, and uses the first answer", async () => {
  const { url, cwd, endpoint, halyard } = await openRemote();
  const settled: number[] = [];
  const owner = new FirstClient(openWebSocket(url).stream, { answer: never });
  const sessionId = await owner.newSession(cwd);
  const others = Array.from({ length: 49 }, (_, number) => {
    const answer = (_asked: unknown, signal: AbortSignal) => {
      signal.addEventListener("abort", () => settled.push(number));
      return number === 30 ? allowWhenAll() : never();
    };
    return new FirstClient(openWebSocket(url).stream, { answer });
  });
  const allowWhenAll = async () => {
    await vi.waitFor(() => expect(others.every(({ asked }) => asked.length === 1)).toBe(true), {
      timeout: 20_000,
    });
    return "allow";
  };
  await Promise.all(others.map(({ agent }) => agent.request("session/resume", { sessionId, cwd })));
  expect(endpoint.connections).toBe(50);
  const answer = await owner.prompt(sessionId, "stream 20; ask; say done");
  expect(answer.stopReason).toBe("end_turn");
  const text = `${[...Array(20).keys()].join(" ")}alloweddone`;
  await eventually(() => {
    for (const client of [owner, ...others])
      expect(client.receivedText("agent_message_chunk")).toBe(text);
  });
  expect(owner.asked).toHaveLength(1);
  expect(settled.filter((number) => number !== 30)).toHaveLength(48);
  for (const { connection } of [owner, ...others]) connection.close();
  await eventually(() => expect(endpoint.connections).toBe(0));
  expect(await halyard.find(sessionId)).toMatchObject({ state: "idle" });
});

function never(): Promise<never> {
  return new Promise(() => {});
}

test("keeps a request open if one client cannot show it, and lets another client answer it", async () => {
  const { url, cwd } = await openRemote();
  const plain = new FirstClient(openWebSocket(url).stream, {
    answer: () => Promise.reject(new Error("no dialog")),
  });
  const sessionId = await plain.newSession(cwd);
  const prompted = plain.prompt(sessionId, "ask; say done");
  await eventually(() =>
    expect(plain.receivedText("agent_message_chunk")).toMatch(/Run "halyard answer req_\w+ yes"/),
  );
  const able = new FirstClient(openWebSocket(url).stream, { answer: () => "allow" });
  await able.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(await prompted).toMatchObject({ stopReason: "end_turn" });
  expect(plain.receivedText("agent_message_chunk")).toContain("alloweddone");
});

test("does not let a client that reads nothing delay other clients", async () => {
  const { url, cwd } = await openRemote();
  const client = new FirstClient(openWebSocket(url).stream);
  const sessionId = await client.newSession(cwd);
  const slow = new WebSocket(url, { headers: { authorization } });
  onTestFinished(() => slow.terminate());
  await new Promise((resolve) => slow.on("open", resolve));
  slow.send(greeting);
  const resume = { sessionId, cwd };
  slow.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/resume", params: resume }));
  await new Promise((resolve) => slow.once("message", resolve));
  slow.pause();
  const word = "x".repeat(100_000);
  await client.prompt(sessionId, `say ${Array(100).fill(word).join(" ")}`);
  expect(client.receivedText("agent_message_chunk")).toHaveLength(100 * 100_001 - 1);
});

test("serves HTTP with server-sent events, and closes an idle connection", async () => {
  const { url, cwd, endpoint } = await openRemote();
  const http = createHttpStream(url.replace("ws", "http"), { headers: { authorization } });
  const client = new FirstClient(http, { answer: () => "allow" });
  const sessionId = await client.newSession(cwd);
  expect(await client.prompt(sessionId, "say one; ask")).toMatchObject({ stopReason: "end_turn" });
  await eventually(() => expect(client.receivedText("agent_message_chunk")).toBe("oneallowed"));
  client.connection.close();
  await eventually(() => expect(endpoint.connections).toBe(0));
  const impatient = await openRemote({}, { idleMs: 200 });
  const response = await fetch(impatient.url.replace("ws", "http"), {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: greeting,
  });
  expect(response.headers.get("acp-connection-id")).not.toBeNull();
  await eventually(() => expect(impatient.endpoint.connections).toBe(0));
});

test("rejects connections over the limit, and drops clients that do not answer a ping", async () => {
  const { url, endpoint } = await openRemote({}, { maxConnections: 2, pingMs: 1_000 });
  const dead = new WebSocket(url, { headers: { authorization }, autoPong: false });
  onTestFinished(() => dead.terminate());
  const dropped = new Promise((resolve) => dead.on("close", resolve));
  const alive = new FirstClient(openWebSocket(url).stream);
  await alive.greeting;
  await eventually(() => expect(endpoint.connections).toBe(2));
  expect(await dial(url, { headers: { authorization } })).toBe(429);
  await dropped;
  expect(await alive.agent.request("session/list", {})).toEqual({ sessions: [] });
});

test("negotiates ACP version 2, and sends the updates after a cursor", async () => {
  const { url, cwd, halyard } = await openRemote();
  const session = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
  await session.send("say one; say two").outcome;
  const client = new SecondClient(openWebSocket(url).stream);
  const resumed = await client.agent.request("session/resume", {
    sessionId: session.id,
    cwd,
    mcpServers: [],
    _meta: { halyard: { after: "1" } },
  });
  expect(resumed._meta).toEqual({ halyard: { cursor: expect.stringMatching(/^\d+/) } });
  await eventually(() => expect(client.said).toBe("onetwo"));
});
