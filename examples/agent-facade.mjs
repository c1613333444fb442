/**
 * Runs an agent through the interface of Oubliette: the configuration selects the runtime, an executor emits events and
 * accepts a second message, and a later call continues the same session.
 * Needs no key: the model is scripted. Run it: node examples/agent-facade.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  EventTypeCompletion,
  EventTypeMessage,
  EventTypeToolCall,
  newRuntime,
} from "halyard/compat/oubliette";
import { startScriptedModel } from "halyard/testing";

const scripted = await startScriptedModel([
  {
    when: "list",
    replies: [
      { toolCalls: [{ name: "bash", input: { command: "ls" } }] },
      { text: "Nothing here." },
    ],
  },
  { when: "sure", replies: [{ text: "Quite sure." }] },
  { when: "first", replies: [{ text: "You asked me to list the files." }] },
]);

const runtime = newRuntime({ server: { agent_runtime: "pi" } });
await runtime.initialize({
  workingDir: mkdtempSync(join(tmpdir(), "halyard-")),
  model: scripted.endpoint("anthropic"),
});
await runtime.ping();

const executor = await runtime.executeStreaming({ prompt: "list the files" });
let turns = 0;
for await (const event of executor.events) {
  if (event.type === EventTypeToolCall) console.log(`→ ${event.toolName}`);
  if (event.type === EventTypeMessage && event.role === "assistant") console.log(`> ${event.text}`);
  if (event.type === EventTypeCompletion && ++turns === 1)
    await executor.sendMessage("are you sure?");
  else if (event.type === EventTypeCompletion) break;
}
assert.deepEqual(await executor.wait(), { exitCode: 0, error: undefined });
await executor.close();

const { sessionID } = executor;
const response = await runtime.execute({ prompt: "what did I ask first?", sessionID });
console.log(`${response.turns} turns; ${response.result}`);
assert.equal(response.sessionID, sessionID);
await runtime.close();
await scripted.close();
