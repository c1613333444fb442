/**
 * A runtime of your own: a program that speaks JSON lines, and the adapter that tells them in Halyard's words. The
 * program here is a parrot, and this very file: `node own-runtime.mjs parrot`.
 * Run it: node examples/own-runtime.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { allowedEnvironment, createHalyard, nativeStream } from "halyard";

/** The program: `{ said }` on standard input, `{ word }`… and `{ done }` on standard output. */
async function beParrot() {
  for await (const line of createInterface({ input: process.stdin })) {
    for (const word of JSON.parse(line).said.split(" ")) console.log(JSON.stringify({ word }));
    console.log(JSON.stringify({ done: true }));
  }
}

/**
 * The adapter: what the runtime is called, what it can do, and how to talk to it.
 * @type {import("halyard").Adapter}
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
    const unsupported = () => Promise.reject(new Error("a parrot cannot do that"));
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
 * The mapper: total and pure. What it does not know it keeps as `system/raw`.
 * @returns {import("halyard").Mapper}
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
  let heard = "";
  for await (const event of turn) {
    console.log(event.type === "system" ? event.subtype : event.type);
    if (event.type === "delta") heard += event.text;
  }
  const outcome = await turn.outcome;
  console.log(`${outcome.status}: ${outcome.text}`);
  assert.equal(outcome.status, "completed");
  assert.equal(outcome.text, "Pieces of eight ");
  assert.equal(heard, outcome.text, "the deltas add up to the message");
  await halyard[Symbol.asyncDispose]();
}

if (process.argv[2] === "parrot") await beParrot();
else await talkToParrot();
