/**
 * Runs an agent through the interface of OpenClaw, as a chat gateway would: the configuration selects the runtime,
 * callbacks receive text while it is generated, and one function logs all tool calls.
 * Needs no key: the model is scripted. Run it: node examples/run-facade.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgentRuntime, logToolEvent } from "halyard/compat/openclaw";
import { startScriptedModel } from "halyard/testing";

const ls = { name: "bash", input: { command: "ls" } };
const scripted = await startScriptedModel([
  { when: "list", replies: [{ text: "I look.", toolCalls: [ls] }, { text: "Nothing here." }] },
  { when: "again", replies: [{ text: "Still nothing." }] },
]);
const directory = mkdtempSync(join(tmpdir(), "halyard-"));
const config = {
  agents: { defaults: { runtime: "pi" } },
  models: { providers: { scripted: scripted.endpoint("anthropic") } },
};

const runtime = await createAgentRuntime(config, "main");
const chat = {
  sessionId: "chat-1",
  sessionFile: join(directory, "chat-1.jsonl"),
  workspaceDir: directory,
  provider: "scripted",
  model: "scripted",
  messageChannel: "telegram",
};
const first = await runtime.run({
  ...chat,
  prompt: "list the files",
  onBlockReply: ({ text }) => console.log(`> ${text}`),
  onAgentEvent: (event) => logToolEvent(event, { log: console.log, session: chat.sessionId }),
});
assert.deepEqual(first.payloads, [{ text: "I look." }, { text: "Nothing here." }]);

const second = await runtime.run({ ...chat, prompt: "and again?" });
console.log(`${second.meta.runtime}, ${second.meta.session.opened}: ${second.reply}`);
assert.equal(second.meta.sessionId, first.meta.sessionId);
await scripted.close();
