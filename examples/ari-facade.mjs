/**
 * Runs an agent through the runtime interface of Gas Town: one program starts a polecat and detaches from it, and a second
 * program finds it by its handle and sends it a message.
 * Needs no key: the agent is a fake. Run it: node examples/ari-facade.mjs
 */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgentRuntime, SessionHandle } from "halyard/compat/gas-town";
import { fakeAdapter } from "halyard/testing";

const create = { adapters: [fakeAdapter()] };
const launcher = createAgentRuntime({ create });
const handle = await launcher.start({
  workDir: mkdtempSync(join(tmpdir(), "halyard-")),
  runtimeName: "fake",
  env: { GT_ROLE: "polecat", GT_RIG: "greenplace", GT_POLECAT: "ivy" },
  initialPrompt: "echo-env BD_ACTOR",
});
const text = JSON.stringify(handle);
await launcher[Symbol.asyncDispose](); // the session continues

const runtime = createAgentRuntime({ create });
const found = SessionHandle.parse(JSON.parse(text));
console.log(`still running: ${await runtime.detectRunning(found)}`);
const receipt = await runtime.sendMessage(found, { text: "say Hello again.", timeout: 10_000 });
console.log(`delivered: ${receipt.status}`);
const mine = await runtime.listSessions({ rig: "greenplace", running: true });
assert.deepEqual(
  mine.map(({ sessionID }) => sessionID),
  [found.sessionID],
);
await runtime.stop(found, "the work is done");
assert.equal(await runtime.detectRunning(found), false);
await runtime[Symbol.asyncDispose]();
