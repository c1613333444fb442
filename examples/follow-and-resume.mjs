/**
 * A session outlives the program that started it: one program has a turn while somebody else reads along; a second
 * one, later, goes on with the same conversation and reads only what is new.
 * Needs no key: the model follows a script. Run it: node examples/follow-and-resume.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

const scripted = await startScriptedModel([
  { when: "My favourite number is 17", replies: [{ text: "I'll remember 17." }] },
  { when: "What was my number", replies: [{ text: "It was 17." }] },
]);
const model = scripted.endpoint("anthropic");
const cwd = mkdtempSync(join(tmpdir(), "halyard-"));

const first = await createHalyard();
const started = await first.start({ runtime: "pi", cwd, model });
const { id } = started;
const reading = readAlong(id);
await started.send("My favourite number is 17").outcome;
await first[Symbol.asyncDispose]();
const seen = await reading;
console.log(`${id}: somebody else read ${seen.length} events to the end`);

const second = await createHalyard();
const resumed = await second.resume(id, { model }); // keys are never on record: they are given anew
console.log(`${resumed.opened}, not begun afresh`);
const { text } = await resumed.send("What was my number?").outcome;
console.log(`> ${text}`);

const news = [];
for await (const event of second.events({ sessionId: id, after: seen.length, follow: false }))
  news.push(event);
console.log(`${news.length} events are new, from ${news[0]?.seq} on`);

assert.equal(resumed.opened, "resumed");
assert.equal(text, "It was 17.");
assert.equal(news[0]?.seq, seen.length + 1, "a reader goes on where it left off");
const asked = scripted.requests.at(-1)?.messages.map((message) => message.text);
assert(
  asked?.some((said) => said.includes("number is 17")),
  "the agent remembers the first turn",
);
await second[Symbol.asyncDispose]();
await scripted.close();

/**
 * A reader with a Halyard of its own, as another process would have it.
 * @param {import("halyard").SessionId} sessionId
 */
async function readAlong(sessionId) {
  const reader = await createHalyard();
  const events = [];
  for await (const event of reader.events({ sessionId })) events.push(event);
  await reader[Symbol.asyncDispose]();
  return events;
}
