/**
 * An agent in a process of its own outlives the program that started it: one program lets go of it in the middle of a
 * sentence, the next takes hold of it again and hears the rest, nothing missing and nothing twice.
 * Needs no key: the model follows a script. Run it: node examples/let-go.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

const text = Array.from({ length: 60 }, (_, index) => `${index + 1} sheep`).join(", ");
const scripted = await startScriptedModel([
  { replies: [{ text, chunkSize: 10, chunkDelayMs: 20 }] },
]);
const model = scripted.endpoint("anthropic");
const cwd = mkdtempSync(join(tmpdir(), "halyard-"));

const first = await createHalyard({ outlive: true });
const session = await first.start({ runtime: "pi", cwd, model });
let heard = "";
let last = 0;
for await (const event of session.send("Count some sheep")) {
  last = event.seq;
  if (event.type !== "delta") continue;
  heard += event.text;
  break;
}
await session.detach();
await first[Symbol.asyncDispose]();
console.log(`the first heard: ${heard}`);

const second = await createHalyard({ outlive: true });
const { state } = (await second.find(session.id)) ?? {};
const again = await second.resume(session.id, { model });
console.log(`${state}, then ${again.opened}`);
let rest = "";
for await (const event of again.events({ after: last })) {
  if (event.type === "delta") rest += event.text;
  if (event.type === "completion") break;
}
console.log(`the second heard: ${rest.slice(0, 20)} … ${rest.slice(-8)}`);

assert.equal(again.opened, "attached");
assert.notEqual(heard, text, "the first let go in the middle");
assert.equal(heard + rest, text, "together they heard all of it, once");
await second[Symbol.asyncDispose]();
await scripted.close();
