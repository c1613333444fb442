/**
 * Detaches from a running agent: one Halyard instance detaches in the middle of a response. Another one, which could be in
 * another program, attaches to the same agent and receives the rest, without a gap and without a duplicate.
 * Needs no key: the model is scripted. Run it: node examples/detach-and-attach.mjs
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

const first = await createHalyard({ detached: true });
const session = await first.start({ runtime: "pi", cwd, model });
let received = "";
let last = 0;
for await (const event of session.send("Count some sheep")) {
  last = event.seq;
  if (event.type !== "delta") continue;
  received += event.text;
  break;
}
await session.detach();
await first[Symbol.asyncDispose]();
console.log(`the first program received: ${received}`);

const second = await createHalyard({ detached: true });
const { state } = (await second.find(session.id)) ?? {};
const again = await second.resume(session.id, { model });
console.log(`${state}, then ${again.opened}`);
let rest = "";
for await (const event of again.events({ after: last })) {
  if (event.type === "delta") rest += event.text;
  if (event.type === "completion") break;
}
console.log(`the second program received: ${rest.slice(0, 20)} … ${rest.slice(-8)}`);

assert.equal(again.opened, "attached");
assert.notEqual(received, text, "the first program detached before the end");
assert.equal(received + rest, text, "together they received the complete text once");
await second[Symbol.asyncDispose]();
await scripted.close();
