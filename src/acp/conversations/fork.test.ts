import { realpath } from "node:fs/promises";
import * as second from "@agentclientprotocol/sdk/experimental/v2/unstable";
import * as first from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { openScene, type Scene, serve } from "../../../test/acp-client/scene.ts";
import type { Adapter, ConnectRequest } from "../../contracts/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import type { AcpContext } from "../context.ts";

test("forks the session of a version 1 client and keeps the original", async () => {
  const { agent, said, cwd, halyard } = await openFirst();
  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
  await agent.request("session/prompt", prompt(sessionId, "say one"));
  const other = await realpath(await temporaryDirectory());
  const forked = await agent.request("session/fork", { sessionId, cwd: other, mcpServers: [] });
  expect(forked.sessionId).not.toBe(sessionId);
  expect(forked.modes?.currentModeId).toBe("ask");
  expect(forked.configOptions?.map(({ id }) => id)).toContain("model");
  await agent.request("session/prompt", prompt(forked.sessionId, "recall"));
  await agent.request("session/prompt", prompt(sessionId, "say two"));
  expect(said).toEqual({ [sessionId]: "onetwo", [forked.sessionId]: "say one" });
  expect(await halyard.find(forked.sessionId)).toMatchObject({
    forkedFrom: sessionId,
    cwd: other,
    turns: 1,
  });
  expect(await halyard.find(sessionId)).toMatchObject({ cwd, turns: 2 });
});

test("forks an ended session with the key from the client's settings", async () => {
  const model = { id: "m", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-of-the-client" };
  const { adapter, requests } = observed(["endpoints"]);
  const context = { resumeOptions: async () => ({ model }) };
  const { agent, said, cwd, halyard } = await openFirst({ adapters: [adapter] }, context);
  const ended = await halyard.start({ runtime: "fake", cwd });
  await ended.send("say before").outcome;
  await ended.stop();
  const { sessionId } = await agent.request("session/fork", { sessionId: ended.id, cwd });
  await agent.request("session/prompt", prompt(sessionId, "recall"));
  expect(said).toEqual({ [sessionId]: "say before" });
  expect(requests.map((one) => one.model?.apiKey)).toEqual([undefined, "sk-of-the-client"]);
  expect(await halyard.find(ended.id)).toMatchObject({ state: "stopped" });
});

test("starts a fork with the MCP servers in its request, not with those of the original", async () => {
  const { adapter, requests } = observed(["mcp"]);
  const { agent, cwd } = await openFirst({ adapters: [adapter] });
  const servers = (name: string): first.McpServer[] => [
    { name, command: "/bin/true", args: [], env: [] },
  ];
  const opened = await agent.request("session/new", { cwd, mcpServers: servers("old") });
  const { sessionId } = opened;
  await agent.request("session/prompt", prompt(sessionId, "say one"));
  await agent.request("session/fork", { sessionId, cwd, mcpServers: servers("new") });
  await agent.request("session/fork", { sessionId, cwd, mcpServers: [] });
  const names = requests.map(({ options }) => Object.keys(Object(options.mcpServers)));
  expect(names).toEqual([["old"], ["new"], []]);
});

test("forks the session of a version 2 client", async () => {
  const scene = await openScene();
  const agent = second.client().connect(serve(scene).stream).agent;
  const { capabilities } = await agent.request("initialize", {
    protocolVersion: 2,
    info: { name: "editor", version: "9" },
    capabilities: {},
  });
  expect(capabilities?.session?.fork).toEqual({});
  const original = await scene.halyard.start({ runtime: "fake", cwd: scene.cwd });
  await original.send("say before").outcome;
  const { sessionId, configOptions } = await agent.request("session/fork", {
    sessionId: original.id,
    cwd: scene.cwd,
  });
  expect(configOptions?.map(({ configId }) => configId)).toContain("model");
  expect(await scene.halyard.find(sessionId)).toMatchObject({ forkedFrom: original.id });
});

test.each([
  ["the session does not exist", { sessionId: "ses_0000000000000000" }, "session_not_found"],
  ["the directory is not absolute", { cwd: "not/absolute" }, "invalid_input"],
  ["the session has had no turn", {}, "not_resumable"],
])("rejects a fork if %s", async (_, params, code) => {
  const { agent, cwd } = await openFirst();
  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
  await expect(agent.request("session/fork", { sessionId, cwd, ...params })).rejects.toMatchObject({
    data: { code },
  });
});

test("rejects a fork during a turn", async () => {
  const { agent, cwd, halyard } = await openFirst();
  const session = await halyard.start({ runtime: "fake", cwd });
  const turn = session.send("ask");
  for await (const event of turn) if (event.type === "request") break;
  const { id: sessionId } = session;
  await expect(agent.request("session/fork", { sessionId, cwd })).rejects.toMatchObject({
    data: { code: "workspace_failed" },
    message: expect.stringContaining("is running a turn"),
  });
});

test("rejects a fork with the error code for invalid parameters if the runtime cannot fork", async () => {
  const adapter = fakeAdapter();
  const capabilities = adapter.capabilities.filter((one) => one !== "fork");
  const scene = await openScene({ adapters: [{ ...adapter, capabilities }] });
  const { agent, cwd } = await connect(scene);
  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
  await agent.request("session/prompt", prompt(sessionId, "say one"));
  await expect(agent.request("session/fork", { sessionId, cwd })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^fake does not support "fork"\. Run "halyard runtime list"/),
    data: { code: "unsupported" },
  });
  expect(await scene.halyard.sessions()).toHaveLength(1);
});

test("rejects a fork of a session with a looser policy than the client may use", async () => {
  const { agent, cwd, halyard } = await openFirst({}, { limit: "ask" });
  const loose = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
  await loose.send("say one").outcome;
  await expect(agent.request("session/fork", { sessionId: loose.id, cwd })).rejects.toMatchObject({
    data: { code: "forbidden" },
  });
});

/** Returns the fake adapter with additional capabilities, and the requests that it receives. */
function observed(more: readonly Capability[]) {
  const fake = fakeAdapter();
  const requests: ConnectRequest[] = [];
  const connect: Adapter["connect"] = (request) => {
    requests.push(request);
    return fake.connect(request);
  };
  return { adapter: { ...fake, capabilities: [...fake.capabilities, ...more], connect }, requests };
}

function prompt(sessionId: string, text: string) {
  return { sessionId, prompt: [{ type: "text" as const, text }] };
}

async function openFirst(
  options: Parameters<typeof openScene>[0] = {},
  context: Partial<AcpContext> = {},
) {
  return connect(await openScene(options), context);
}

/** Connects the official version 1 client, including the methods that are not final. */
async function connect(scene: Scene, context: Partial<AcpContext> = {}) {
  const said: Record<string, string> = {};
  const { agent } = first
    .client()
    .onNotification("session/update", ({ params: { sessionId, update } }) => {
      if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
      said[sessionId] = `${said[sessionId] ?? ""}${update.content.text}`;
    })
    .connect(serve(scene, context).stream);
  const { agentCapabilities } = await agent.request("initialize", { protocolVersion: 1 });
  expect(agentCapabilities?.sessionCapabilities?.fork).toEqual({});
  return { ...scene, agent, said };
}
