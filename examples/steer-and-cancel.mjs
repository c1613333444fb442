/**
 * Sends messages to a busy agent: steers a message into the running turn, cancels a turn in the middle of a response, and
 * sends another message to show that the session still works.
 * Needs no key: the model is scripted. Run it: node examples/steer-and-cancel.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

const scripted = await startScriptedModel([
  {
    when: "Count the files",
    replies: [
      { toolCalls: [{ name: "bash", input: { command: "sleep 1; ls | wc -l" } }] },
      { text: "There are none." },
    ],
  },
  { when: "And in French", replies: [{ text: "Il n'y en a pas." }] },
  {
    when: "Tell me a story",
    replies: [{ text: "Once upon a time ".repeat(40), chunkSize: 8, chunkDelayMs: 20 }],
  },
  { when: "Still there?", replies: [{ text: "Still here." }] },
]);
const halyard = await createHalyard();
const session = await halyard.start({
  runtime: "pi",
  cwd: mkdtempSync(join(tmpdir(), "halyard-")),
  permissions: "allow-all",
  model: scripted.endpoint("anthropic"),
});

const counting = session.send("Count the files");
for await (const event of counting) {
  if (event.type === "tool_call") {
    const steered = session.send("And in French, please", { delivery: "steer" });
    console.log(`steered into the running turn: ${(await steered.accepted).status}`);
    assert.equal(steered.id, counting.id, "a steered message joins the running turn");
  }
  if (event.type === "message" && event.role === "assistant") console.log(`> ${event.text}`);
}
const counted = await counting.outcome;
assert.equal(counted.status, "completed");
assert.match(counted.text, /Il n'y en a pas/);

const story = session.send("Tell me a story");
for await (const event of story) {
  if (event.type === "delta") void story.cancel("that will do");
  if (event.type === "message" && event.role === "assistant") console.log(`> ${event.text} …`);
}
const storyOutcome = await story.outcome;
console.log(`the story: ${storyOutcome.status}`);
assert.equal(storyOutcome.status, "cancelled");

const last = await session.send("Still there?").outcome;
console.log(`> ${last.text}`);
assert.equal(last.status, "completed");
await halyard[Symbol.asyncDispose]();
await scripted.close();
