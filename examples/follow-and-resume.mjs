/**
 * Continues a session in a second program: the first program runs a turn while another reader follows it, and the second
 * program resumes the conversation and reads only the new events.
 * Needs no key: the model is scripted. Run it: node examples/follow-and-resume.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

const scripted = await startScriptedModel([
  { when: "My favorite number is 17", replies: [{ text: "I'll remember 17." }] },
  { when: "What was my number", replies: [{ text: "It was 17." }] },
]);
const model = scripted.endpoint("anthropic");
const cwd = mkdtempSync(join(tmpdir(), "halyard-"));

const first = await createHalyard();
const started = await first.start({ runtime: "pi", cwd, model });
const { id } = started;
const reading = readAlong(id);
await started.send("My favorite number is 17").outcome;
await first[Symbol.asyncDispose]();
const seen = await reading;
console.log(`${id}: the other reader received ${seen.length} events`);

const second = await createHalyard();
const resumed = await second.resume(id, { model }); // keys are not stored, so pass them again
console.log(`${resumed.opened}, not started again`);
const { text } = await resumed.send("What was my number?").outcome;
console.log(`> ${text}`);

const news = [];
for await (const event of second.events(id, { after: seen.length, follow: false }))
  news.push(event);
console.log(`${news.length} new events, starting at ${news[0]?.seq}`);

assert.equal(resumed.opened, "resumed");
assert.equal(text, "It was 17.");
assert.equal(
  news[0]?.seq,
  seen.length + 1,
  "the reader continues after the last event that it has read",
);
const asked = scripted.requests.at(-1)?.messages.map((message) => message.text);
assert(
  asked?.some((said) => said.includes("number is 17")),
  "the agent remembers the first turn",
);
await second[Symbol.asyncDispose]();
await scripted.close();

/**
 * Follows a session with a separate Halyard instance, as another process would.
 * @param {import("halyard").SessionId} sessionId
 */
async function readAlong(sessionId) {
  const reader = await createHalyard();
  const events = [];
  for await (const event of reader.events(sessionId)) events.push(event);
  await reader[Symbol.asyncDispose]();
  return events;
}
