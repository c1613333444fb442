/**
 * Uses `halyard serve` as an ACP agent over a WebSocket, with the official SDK. The client loses its connection in the middle
 * of a response, connects again, and receives the rest without a gap and without a duplicate.
 * Needs no key: the model is scripted. Run it: node examples/acp-over-websocket.mjs
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { client } from "@agentclientprotocol/sdk";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { startScriptedModel } from "halyard/testing";
import { WebSocket } from "ws";

const text = Array.from({ length: 60 }, (_, index) => `${index + 1} sheep`).join(", ");
const scripted = await startScriptedModel([
  { replies: [{ text, chunkSize: 10, chunkDelayMs: 10 }] },
]);

// The server: a daemon with its own home, whose only model is the scripted one.
const home = mkdtempSync(join(tmpdir(), "halyard-"));
const cwd = join(home, "project");
mkdirSync(cwd);
const { id: model, ...endpoint } = scripted.endpoint("anthropic");
const models = { models: { scripted: { model, ...endpoint } } };
writeFileSync(join(home, "models.json"), JSON.stringify(models), { mode: 0o600 });
const token = "a token of at least 32 characters, please".replaceAll(" ", "-");
const program = fileURLToPath(new URL("bin/halyard.js", import.meta.resolve("halyard")));
const server = spawn(process.execPath, [program, "serve", "--port", "0"], {
  env: { ...process.env, HALYARD_HOME: home, HALYARD_TOKEN: token },
  stdio: ["ignore", "pipe", "ignore"],
});
const [line] = await once(server.stdout, "data");
const url = `${String(line).trim().replace("http", "ws")}/acp?runtime=pi&model=scripted`;

let received = "";
/** The cursor of the last update. */
let after = "";

/**
 * Connects to the agent, and calls `onText` for each chunk of its response.
 * @param {(chunk: string, close: () => void) => void} onText
 */
function connect(onText) {
  /** @type {WebSocket[]} */
  const sockets = [];
  class Socket extends WebSocket {
    /** @param {ConstructorParameters<typeof WebSocket>} parameters */
    constructor(...parameters) {
      super(...parameters);
      sockets.push(this);
    }
  }
  const headers = { authorization: `Bearer ${token}` };
  let isClosed = false;
  const close = () => {
    isClosed = true; // updates that arrive later are sent again to the next connection
    sockets[0]?.terminate();
  };
  const connection = client()
    .onNotification("session/update", ({ params: { update, _meta } }) => {
      if (isClosed) return;
      const { cursor } = /** @type {{ cursor?: string }} */ (_meta?.halyard ?? {});
      if (cursor !== undefined) after = cursor;
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
        onText(update.content.text, close);
    })
    .connect(createWebSocketStream(url, { headers, WebSocket: Socket }));
  return connection.agent;
}

const initialize = { protocolVersion: 1, clientCapabilities: {} };
/** Both connections send the same id, so the agent receives the prompt once. */
const _meta = { halyard: { messageId: "count-sheep" } };

const first = connect((chunk, close) => {
  received += chunk;
  if (received.length > 100) close();
});
await first.request("initialize", initialize);
const { sessionId } = await first.request("session/new", { cwd, mcpServers: [] });
/** @type {import("@agentclientprotocol/sdk").PromptRequest} */
const prompt = { sessionId, prompt: [{ type: "text", text: "Count some sheep" }], _meta };
await assert.rejects(first.request("session/prompt", prompt));
console.log(`lost the connection after: ${received.slice(0, 17)}…`);

const second = connect((chunk) => {
  received += chunk;
});
await second.request("initialize", initialize);
await second.request("session/resume", { sessionId, cwd, _meta: { halyard: { after } } });
const { stopReason } = await second.request("session/prompt", prompt);
assert.equal(received, text);
console.log(`${stopReason}; received every character once`);

await second.request("session/close", { sessionId }); // otherwise the agent keeps running after the server
server.kill("SIGTERM");
await once(server, "exit");
await scripted.close();
process.exit();
