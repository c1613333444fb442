import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

// A scripted model on this machine. If you omit `model` below, Pi uses its default model and the key in your environment.
const write = { name: "write", input: { path: "hello.txt", content: "Hello!" } };
const replies = [{ text: "I'll write it.", toolCalls: [write] }, { text: "Done." }];
const scripted = await startScriptedModel([{ replies }]);
const model = scripted.endpoint("anthropic");

const halyard = await createHalyard();
const cwd = mkdtempSync(`${tmpdir()}/halyard-`);
const session = await halyard.start({ runtime: "pi", cwd, permissions: "allow-all", model });

const turn = session.send("Write a greeting into hello.txt");
for await (const event of turn) {
  if (event.type === "delta") process.stdout.write(event.text);
  if (event.type === "tool_call") console.log(`\n→ ${event.name}`, event.input);
}
const outcome = await turn.outcome; // never rejects: a failure is an outcome too
console.log(`\n${outcome.status}; hello.txt: ${readFileSync(`${cwd}/hello.txt`)}`);

await halyard[Symbol.asyncDispose](); // stops its sessions and every process they started
await scripted.close();
