/**
 * Answers the permission requests of an agent: the program allows file edits and denies commands.
 * Needs no key: the model is scripted. Run it: node examples/permissions.mjs
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

const scripted = await startScriptedModel([
  {
    replies: [
      { toolCalls: [{ name: "bash", input: { command: "rm keep.txt" } }] },
      { toolCalls: [{ name: "write", input: { path: "notes.txt", content: "It stays.\n" } }] },
      { text: "I left keep.txt alone and took a note." },
    ],
  },
]);
const cwd = mkdtempSync(join(tmpdir(), "halyard-"));
writeFileSync(join(cwd, "keep.txt"), "precious\n");

const halyard = await createHalyard();
const session = await halyard.start({
  runtime: "pi",
  cwd,
  permissions: "ask", // the default; also: allow-edits, allow-all, deny
  model: scripted.endpoint("anthropic"),
});

const turn = session.send("Tidy up this folder");
for await (const event of turn) {
  if (event.type === "request") {
    const isEdit = event.tool?.kind === "edit";
    await session.answer(
      event.requestId,
      isEdit ? { decision: "allow" } : { decision: "deny", text: "no commands, please" },
    );
  }
  if (event.type === "request")
    console.log(`? ${event.tool?.name} ${JSON.stringify(event.tool?.input)}`);
  if (event.type === "response") console.log(`  ${event.decision} by ${event.by}`);
  if (event.type === "tool_result")
    console.log(`  ${event.isError ? "failed" : "ok"}: ${event.output}`);
}
const outcome = await turn.outcome;
console.log(`${outcome.status}: ${outcome.text}`);

assert.equal(outcome.status, "completed");
assert(existsSync(join(cwd, "keep.txt")), "a denied command must not run");
assert(existsSync(join(cwd, "notes.txt")), "an allowed edit must happen");
await halyard[Symbol.asyncDispose]();
await scripted.close();
