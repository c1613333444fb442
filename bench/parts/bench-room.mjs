import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createHalyard } from "../../dist/create-halyard.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";
import { HalyardAgent } from "./halyard-agent.mjs";
import { RawAgent } from "./raw-agent.mjs";
import { disposeAfter, inTemporaryDirectory } from "./resources.mjs";

/**
 * @typedef {object} BenchRoom
 * @property {string} root
 * @property {import("../../dist/contracts/halyard.js").Halyard} halyard Keeps its sessions on disk, as it does by default.
 * @property {() => Promise<HalyardAgent>} ours Starts the fake agent through Halyard, and waits until it accepts prompts.
 * @property {() => Promise<RawAgent>} raw Starts the same program on plain pipes.
 */

/**
 * Runs a measurement in a temporary directory, which is removed afterwards.
 * @template T
 * @param {(room: BenchRoom) => Promise<T>} work
 */
export function inBenchRoom(work) {
  return inTemporaryDirectory(async (root) => {
    const cwd = join(root, "work");
    await mkdir(cwd);
    const home = join(root, "home");
    const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    const ours = () => HalyardAgent.start(halyard, cwd);
    const raw = () => RawAgent.start(cwd);
    return disposeAfter(halyard, () => work({ root, halyard, ours, raw }));
  });
}
