import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createHalyard } from "halyard";
import { startScriptedModel } from "halyard/testing";

// A model that follows a script, on this machine. Without `model` below Pi uses yours.
const scripted = await startScriptedModel([{ replies: [{ text: "All quiet." }] }]);
const cwd = mkdtempSync(`${tmpdir()}/halyard-`);

const halyard = await createHalyard({
  hooks: [
    // A function of this program,
    ({ event, role, data }) => console.log(`${role}: ${event}`, data.message ?? data.reason ?? ""),
    // a file that gets one payload per line,
    { file: "town.jsonl" },
    // and a program that gets the payload on its standard input, for some events only.
    { command: [process.execPath, "-e", notify()], events: ["SessionStop"] },
  ],
});

/** The program: it keeps what it is told. */
function notify() {
  return `let told = ""; process.stdin.on("data", (text) => (told += text));
    process.stdin.on("end", () => require("fs").writeFileSync("stopped.json", told));`;
}

const env = { GT_RIG: "greenplace", GT_ROLE: "witness", BD_ACTOR: "greenplace/witness" };
const model = scripted.endpoint("anthropic");
const session = await halyard.start({ runtime: "pi", cwd, env, model });
await session.send("How is the rig?").outcome;

await halyard[Symbol.asyncDispose](); // stops the session, and waits until the hooks were told
await scripted.close();

const lines = readFileSync(`${cwd}/town.jsonl`, "utf8").trim().split("\n");
const stopped = JSON.parse(readFileSync(`${cwd}/stopped.json`, "utf8"));
console.log(`${lines.length} lines in town.jsonl; ${stopped.actor} ${stopped.data.state}`);
