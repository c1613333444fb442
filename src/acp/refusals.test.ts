import { expect, onTestFinished, test } from "vitest";
import { smallAgent, smallAgentAdapter } from "../../test/acp/small-agent.ts";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { openFirst, openScene, serve } from "../../test/acp-client/scene.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";

test("notifies the user about MCP servers that the runtime does not support", async () => {
  const { client, cwd } = await openFirst();
  const calc = { name: "calc", command: "/bin/calc", args: [], env: [] };
  const sessionId = await client.newSession(cwd, [calc]);
  await client.prompt(sessionId, "say hi");
  expect(client.receivedText("agent_message_chunk")).toBe(
    "**Halyard:** fake does not support the client's MCP servers and runs without calc.\n\nhi",
  );
});

test.each(["session/new", "session/load", "session/fork"] as const)(
  "rejects %s if the runtime does not support the transport of an MCP server",
  async (method) => {
    const scripted = await startScriptedModel([{ when: "hi", replies: [{ text: "hello" }] }]);
    onTestFinished(() => scripted.close());
    const model = scripted.endpoint("openai-chat");
    const adapter = smallAgentAdapter({ env: { PATH: process.env.PATH ?? "" } });
    const scene = await openScene({ adapters: [adapter] });
    const { cwd } = scene;
    const startRequest = async () => ({
      ...{ runtime: adapter.name, cwd, model },
      options: { command: smallAgent },
    });
    const resumeOptions = async () => ({ model });
    const client = new FirstClient(serve(scene, { startRequest, resumeOptions }).stream);
    await client.greeting;
    const sessionId = await client.newSession(cwd);
    await client.prompt(sessionId, "hi");
    await client.agent.request("session/close", { sessionId });
    const url = "http://127.0.0.1:9";
    const mcpServers = [{ type: "sse", name: "calc", url, headers: [] }];
    await expect(
      client.agent.request(method, { sessionId, cwd, mcpServers }),
    ).rejects.toMatchObject({
      data: { code: "unsupported" },
      message: expect.stringContaining("MCP servers over sse: calc"),
    });
  },
);

test("warns about unsupported MCP servers with a notice if the client supports notices", async () => {
  const { client, cwd } = await openFirst({ capabilities: { session: { notices: {} } } });
  const url = "http://127.0.0.1:9";
  const sessionId = await client.newSession(cwd, [
    { type: "http", name: "calc", url, headers: [] },
  ]);
  await client.prompt(sessionId, "say hi");
  expect(client.of("notice")).toMatchObject([{ severity: "warning" }]);
  expect(client.receivedText("agent_message_chunk")).toBe("hi");
});

test.each([
  ["session/load", { sessionId: "ses_0000000000000000", mcpServers: [] }, -32002],
  ["session/resume", { sessionId: "nonsense", mcpServers: [] }, -32002],
  ["session/prompt", { sessionId: "ses_0000000000000000", prompt: [] }, -32602],
  ["session/prompt", { sessionId: "x", prompt: [{ type: "text", text: "hi" }] }, -32002],
  ["session/set_mode", { sessionId: "x", modeId: "ask" }, -32002],
  ["session/new", { cwd: "not/absolute", mcpServers: [] }, -32602],
  ["session/new", { cwd: "/nowhere/at/all", mcpServers: [] }, -32602],
  ["session/new", { mcpServers: 7 }, -32602],
  ["session/new", { cwd: "/tmp", mcpServers: [], additionalDirectories: ["/"] }, -32602],
  ["session/fly", {}, -32601],
])("responds to %s and the parameters %j with the error %d", async (method, params, code) => {
  const { client, cwd } = await openFirst();
  await expect(client.agent.request(method, { cwd, ...params })).rejects.toMatchObject({ code });
  await client.newSession(cwd);
});

test("rejects a load whose directory is not the directory of the session", async () => {
  const { client, cwd } = await openFirst();
  const sessionId = await client.newSession(cwd);
  await expect(
    client.agent.request("session/load", { sessionId, cwd: "/", mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(`works in ${cwd}`) });
});

test("rejects a session with an unknown runtime", async () => {
  const { client, cwd } = await openFirst(
    {},
    { startRequest: async () => ({ runtime: "nosuch", cwd }) },
  );
  await expect(client.newSession(cwd)).rejects.toMatchObject({
    code: -32602,
    data: { code: "unknown_runtime" },
  });
});

test("responds with an error to a request before initialize, and continues", async () => {
  const scene = await openScene();
  const { stream } = serve(scene);
  const reader = stream.readable.getReader();
  const writer = stream.writable.getWriter();
  const bad = JSON.parse('{"jsonrpc":"2.0","id":1,"method":"session/new"}');
  await writer.write(bad);
  expect((await reader.read()).value).toMatchObject({ id: 1, error: { code: -32600 } });
  reader.releaseLock();
  writer.releaseLock();
  expect((await new FirstClient(stream).greeting).protocolVersion).toBe(1);
});

test("responds with an error to a line that exceeds the size limit, and continues", async () => {
  const scene = await openScene();
  const { stream } = serve(scene);
  const [reader, writer] = [stream.readable.getReader(), stream.writable.getWriter()];
  const params = { text: "x".repeat(33 * 1024 * 1024) };
  await writer.write({ jsonrpc: "2.0", id: 7, method: "session/new", params });
  const error = { code: -32600, data: { code: "invalid_input" } };
  expect((await reader.read()).value).toMatchObject({ id: 7, error });
  reader.releaseLock();
  writer.releaseLock();
  expect((await new FirstClient(stream).greeting).protocolVersion).toBe(1);
});
