/**
 * Runs a gateway of OpenClaw through its agent runtime interface: the configuration selects the runtime of each agent,
 * callbacks receive replies and tool calls, and Pi replaces the Claude Agent SDK if the SDK is not installed.
 * Needs no key: the model is scripted. Run it: node examples/openclaw-gateway.mjs
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAgentRuntime,
  createPiAgentRuntime,
  logToolEvent,
  resolveAgentRuntimeKind,
} from "halyard/compat/openclaw";
import { startScriptedModel } from "halyard/testing";

const write = { name: "write", input: { path: "note.txt", content: "milk" } };
const scripted = await startScriptedModel([
  { when: "note", replies: [{ toolCalls: [write] }, { text: "Noted." }] },
  { when: "what", replies: [{ text: "Milk, you said." }] },
]);

// Pi's own files, as a user of Pi has them. The gateway passes only the names of the provider and the model.
const home = mkdtempSync(join(tmpdir(), "halyard-"));
const { id, apiKey } = scripted.endpoint("anthropic");
const baseUrl = scripted.baseUrl("anthropic");
const provider = { baseUrl, apiKey, api: "anthropic-messages", models: [{ id }] };
mkdirSync(join(home, ".pi", "agent"), { recursive: true });
const providers = { scripted: provider };
writeFileSync(join(home, ".pi", "agent", "models.json"), JSON.stringify({ providers }));
const env = { PATH: process.env.PATH, HOME: home };
const create = { env, home: join(home, ".halyard") };

const config = {
  agents: { defaults: { runtime: "pi" }, list: [{ id: "coder", runtime: "ccsdk" }] },
};
const kinds = ["main", "coder"].map((agent) => resolveAgentRuntimeKind(config, agent));
console.log(`main: ${kinds[0]}, coder: ${kinds[1]}`);

const workspaceDir = join(home, "workspace");
mkdirSync(workspaceDir);
const pi = createPiAgentRuntime({}, { create });
console.log(`${pi.kind}: ${pi.displayName}`);
const chat = {
  sessionId: "chat-1",
  sessionFile: join(home, "chats", "chat-1.jsonl"),
  workspaceDir,
  provider: "scripted",
  model: id,
  messageChannel: "telegram",
  senderId: "u1",
};
const first = await pi.run({
  ...chat,
  prompt: "note: milk",
  onBlockReply: ({ text }) => console.log(`> ${text}`),
  onAgentEvent: (event) => logToolEvent(event, { log: console.log, session: chat.sessionId }),
});
assert.equal(first.reply, "Noted.");
assert.equal(readFileSync(join(workspaceDir, "note.txt"), "utf8"), "milk");
const second = await pi.run({ ...chat, prompt: "what was it?" });
assert.deepEqual(second.meta.session, { opened: "resumed" });
console.log(`> ${second.reply}`);

const coder = await createAgentRuntime(config, "coder", undefined, { create });
const other = { sessionId: "chat-2", sessionFile: join(home, "chats", "chat-2.jsonl") };
const { meta } = await coder.run({ ...chat, ...other, prompt: "note: milk", piOptions: {} });
console.log(meta.attempts.map(({ runtime }) => runtime).join(", then "));
assert.match(meta.attempts[0]?.error ?? "", /not installed/);
await scripted.close();
