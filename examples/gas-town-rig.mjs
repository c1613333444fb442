/**
 * Runs a rig of Gas Town with a mayor and a polecat through its Agent Runtime Interface: the registry selects the mayor's
 * runtime, the rig's own file selects the polecat's, and the mayor sends the polecat a message.
 * Needs no key: fake agents replace Claude Code and Codex. Run it: node examples/gas-town-rig.mjs
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgentRuntime } from "halyard/compat/gas-town";
import { fakeAdapter } from "halyard/testing";

const home = mkdtempSync(join(tmpdir(), "halyard-")); // a scratch home, so that your registry does not change
const town = join(home, "gt");
const rig = join(town, "greenplace");
const worktree = join(rig, "polecats", "ivy");
for (const directory of [worktree, join(home, ".gastown"), join(rig, ".gastown")])
  mkdirSync(directory, { recursive: true });
const registry = {
  default: "claude",
  runtimes: {
    claude: { bin: "claude", ready: "prompt", delivery: "tmux" },
    codex: { bin: "codex", ready: "warmup", delivery: "stdin" },
  },
};
writeFileSync(join(home, ".gastown", "runtimes.json"), JSON.stringify(registry));
writeFileSync(join(rig, ".gastown", "runtime.json"), '{ "runtime": "codex" }');

const standIns = ["claude", "codex"].map((name) => ({ ...fakeAdapter(), name }));
const env = { PATH: process.env.PATH, HOME: home, HALYARD_HOME: join(home, ".halyard") };
const runtime = createAgentRuntime({ create: { env, adapters: standIns } });
const signal = AbortSignal.timeout(60_000); // corresponds to the parameter `ctx` of Gas Town's interface

const mayor = await runtime.start(
  { workDir: town, env: { GT_ROLE: "mayor", BD_ACTOR: "mayor" }, mode: "minimal" },
  { signal },
);
const polecat = await runtime.start(
  {
    workDir: worktree,
    env: {
      GT_SESSION_ID: "gt-abc123",
      GT_ROLE: "polecat",
      GT_RIG: "greenplace",
      GT_POLECAT: "ivy",
      BD_ACTOR: "greenplace/polecats/ivy",
    },
    initialPrompt: "say I look at my hook.",
    mode: "minimal",
  },
  { signal },
);
console.log(`mayor on ${mayor.runtime}, ${polecat.sessionID} on ${polecat.runtime}`);
assert.equal(await runtime.isReady(polecat, { signal }), true);

const text = "tool write done.txt gp-123";
const receipt = await runtime.sendMessage(polecat, { text, timeout: 30_000 }, { signal });
console.log(`${receipt.status} by ${receipt.delivery}`);
await runtime.sendMessage(polecat, { text: "say And now?", timeout: 30_000 }, { signal });
console.log(`the polecat wrote: ${readFileSync(join(worktree, "done.txt"), "utf8")}`);

const inRig = await runtime.listSessions({ rig: "greenplace", running: true }, { signal });
assert.deepEqual(inRig, [polecat]);
for (const handle of [polecat, mayor]) await runtime.stop(handle, "the day is over", { signal });
assert.equal(await runtime.detectRunning(polecat, { signal }), false);
const again = await runtime.resume(polecat, { signal });
console.log(`resumed: ${again.sessionID}`);
await runtime.stop(again, "for good", { signal });
await runtime[Symbol.asyncDispose]();
