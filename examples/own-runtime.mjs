/**
 * Adds a runtime: a program that reads and writes JSON lines, and an adapter that maps them to events. The program is a
 * parrot in this same file: `node own-runtime.mjs parrot`.
 * Run it: node examples/own-runtime.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createHalyard } from "halyard";
import { allowedEnvironment, nativeStream } from "halyard/adapter";

/** The program reads `{ said }` from standard input, and writes each `{ word }` and then `{ done }` to standard output. */
async function runParrot() {
  for await (const line of createInterface({ input: process.stdin })) {
    for (const word of JSON.parse(line).said.split(" ")) console.log(JSON.stringify({ word }));
    console.log(JSON.stringify({ done: true }));
  }
}

/**
 * The adapter declares the name and the capabilities of the runtime, and connects to the program.
 * @type {import("halyard/adapter").Adapter}
 */
const parrot = {
  name: "parrot",
  displayName: "Parrot",
  capabilities: ["deltas"],
  probe: async () => ({ available: true }),
  createMapper,
  async connect({ host, cwd, runDir, env, limits }) {
    const args = [fileURLToPath(import.meta.url), "parrot"];
    const command = {
      file: process.execPath,
      args,
      cwd,
      env: allowedEnvironment(process.env, env),
    };
    const program = await host.spawn(command, { runDir });
    const unsupported = () => Promise.reject(new Error("The parrot does not support this."));
    return {
      ready: async () => ({ pid: program.identity.pid }),
      output: nativeStream(program, { runtime: "parrot", mapper: createMapper() }),
      async send({ text }) {
        await program.write(`${JSON.stringify({ said: text })}\n`);
        return { status: "submitted" };
      },
      steer: unsupported,
      cancel: unsupported,
      answer: unsupported,
      detach: unsupported,
      [Symbol.asyncDispose]: () => program.terminate({ graceMs: limits.stopMs }),
    };
  },
};

/**
 * The mapper is pure and never throws. An unknown message becomes `system/raw`.
 * @returns {import("halyard/adapter").Mapper}
 */
function createMapper() {
  let message = 1;
  return {
    map(native) {
      const { word, done } = /** @type {{ word?: unknown, done?: unknown }} */ (native ?? {});
      if (typeof word === "string")
        return [{ type: "delta", channel: "text", messageId: `m${message}`, text: `${word} ` }];
      if (done !== true) return [{ type: "system", subtype: "raw", data: { message: native } }];
      message++;
      return [{ type: "completion", status: "completed" }];
    },
    flush: () => [],
  };
}

async function talkToParrot() {
  const halyard = await createHalyard({ adapters: [parrot], defaultRuntime: "parrot" });
  const session = await halyard.start({ cwd: mkdtempSync(join(tmpdir(), "halyard-")) });
  const turn = session.send("Pieces of eight");
  let received = "";
  for await (const event of turn) {
    console.log(event.type === "system" ? event.subtype : event.type);
    if (event.type === "delta") received += event.text;
  }
  const outcome = await turn.outcome;
  console.log(`${outcome.status}: ${outcome.text}`);
  assert.equal(outcome.status, "completed");
  assert.equal(outcome.text, "Pieces of eight ");
  assert.equal(received, outcome.text, "the deltas add up to the message");
  await halyard[Symbol.asyncDispose]();
}

if (process.argv[2] === "parrot") await runParrot();
else await talkToParrot();
