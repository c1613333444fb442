import { fork } from "node:child_process";
import { on } from "node:events";
import { fileURLToPath } from "node:url";
import { startScriptedModel } from "../dist/testing/scripted-model.js";
import { disposeAfter, inTemporaryDirectory } from "./parts/resources.mjs";

const program = fileURLToPath(new URL("./parts/idle-sessions.mjs", import.meta.url));

/** Measures the memory of an idle Pi session inside Halyard's process, compared with the Pi SDK alone. */
export async function measure() {
  const raw = await weigh("sdk");
  const ours = await weigh("halyard");
  return [toRow("heap", raw, ours), toRow("rss", raw, ours)];
}

/** @typedef {import("./parts/idle-sessions.mjs").Weight} Weight */

/**
 * Measures in a child process, so that the memory of the model is not counted.
 * @param {"sdk" | "halyard"} how
 * @returns {Promise<Weight[]>}
 */
async function weigh(how) {
  return disposeAfter(await startScriptedModel([{ replies: [{ text: "Yes." }] }]), (model) =>
    inTemporaryDirectory(async (root) => {
      const endpoint = JSON.stringify(model.endpoint("openai-chat"));
      const env = { PATH: process.env.PATH, HOME: root };
      const child = fork(program, [how, root, endpoint], { env, execArgv: ["--expose-gc"] });
      const weights = [];
      for await (const [weight] of on(child, "message", { close: ["exit"] })) weights.push(weight);
      if (child.exitCode !== 0)
        throw new Error(`The process "${how}" exited with ${child.exitCode}.`);
      return weights;
    }),
  );
}

/**
 * @param {"heap" | "rss"} kind
 * @param {Weight[]} raw
 * @param {Weight[]} ours
 */
function toRow(kind, raw, ours) {
  const few = perSession(kind, ours[0], ours[1]);
  const many = perSession(kind, ours[1], ours[2]);
  const rawMany = perSession(kind, raw[1], raw[2]);
  return {
    figure: `${kind} per idle session, at 100 / 1,000`,
    ours: `${few.toFixed(2)} / ${many.toFixed(2)} MB`,
    beside: `${rawMany.toFixed(2)} MB, Pi's SDK alone`,
    target: "< 1 MB, flat",
    isMet: many < 1 && many < few * 1.25 + 0.05,
    data: { few, many, rawMany, raw, ours },
  };
}

/**
 * Returns the growth between two measurements, in MiB per additional session.
 * @param {"heap" | "rss"} kind
 * @param {Weight | undefined} before
 * @param {Weight | undefined} after
 */
function perSession(kind, before, after) {
  if (before === undefined || after === undefined) return Number.NaN;
  return (after[kind] - before[kind]) / (after.sessions - before.sessions) / 1024 / 1024;
}
