import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

// A scripted model on this machine. Without `model` below, Pi uses your own model.
const scripted = await startScriptedModel([{ replies: [{ text: "All quiet." }] }]);
const cwd = mkdtempSync(`${tmpdir()}/halyard-`);

const halyard = await createHalyard({
  hooks: [
    // A function in this process,
    ({ event, role, data }) => console.log(`${role}: ${event}`, data.message ?? data.reason ?? ""),
    // a file that receives one payload per line,
    { file: "town.jsonl" },
    // and a program that receives the payload of some events on its standard input.
    { command: [process.execPath, "-e", notify()], events: ["SessionStop"] },
  ],
});

/** Returns the source of the program, which writes the payload to a file. */
function notify() {
  return `let payload = ""; process.stdin.on("data", (text) => (payload += text));
    process.stdin.on("end", () => require("fs").writeFileSync("stopped.json", payload));`;
}

const env = { GT_RIG: "greenplace", GT_ROLE: "witness", BD_ACTOR: "greenplace/witness" };
const model = scripted.endpoint("anthropic");
const session = await halyard.start({ runtime: "pi", cwd, env, model });
await session.send("How is the rig?").outcome;

await halyard[Symbol.asyncDispose](); // stops the session, and waits until the hooks are delivered
await scripted.close();

const lines = readFileSync(`${cwd}/town.jsonl`, "utf8").trim().split("\n");
const stopped = JSON.parse(readFileSync(`${cwd}/stopped.json`, "utf8"));
console.log(`${lines.length} lines in town.jsonl; ${stopped.actor} ${stopped.data.state}`);
