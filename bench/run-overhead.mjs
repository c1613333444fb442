import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startScriptedModel } from "../dist/testing/scripted-model.js";
import { runtimesDir } from "../test/real/cached-runtimes.mjs";
import { directly } from "./parts/directly.mjs";
import { run } from "./parts/program.mjs";
import { disposeAfter, inTemporaryDirectory } from "./parts/resources.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const halyard = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));

const PROMPT = "Is it so?";
const ANSWER = "Yes, it is.";
const TARGET_MS = 150;

/** Measures the wall time of `halyard run`, compared with the one-shot command of the same program. */
export async function measure() {
  const rows = [];
  for (const [runtime, prepare] of Object.entries(directly)) {
    const row = await inTemporaryDirectory((root) => compare(root, runtime, prepare));
    if (row) rows.push(row);
    else process.stderr.write(`  ${runtime} is not installed; skipped\n`);
  }
  return rows;
}

/**
 * @param {string} root
 * @param {string} runtime
 * @param {import("./parts/directly.mjs").Prepare} prepare
 */
async function compare(root, runtime, prepare) {
  const home = join(root, "home");
  // The project is outside the home, because a program would treat its own files in the home as project files.
  const project = join(root, "project");
  await Promise.all([mkdir(join(home, "runtimes"), { recursive: true }), mkdir(project)]);
  await symlink(join(runtimesDir, runtime), join(home, "runtimes", runtime));
  const env = { PATH: process.env.PATH, HOME: root };
  const place = { home: root, runtimesDir: join(home, "runtimes"), env };
  return disposeAfter(
    await startScriptedModel([{ replies: [{ text: ANSWER }] }]),
    async (model) => {
      const raw = await prepare(place, model, PROMPT);
      if (raw === undefined) return undefined;
      const { apiKey, ...endpoint } = model.endpoint(raw.api);
      const ours = {
        file: process.execPath,
        args: [
          ...[halyard, "run", "--runtime", runtime, "--format", "json"],
          ...[
            "--base-url",
            endpoint.baseUrl,
            "--api",
            endpoint.api,
            "--model",
            endpoint.id,
            PROMPT,
          ],
        ],
        env: { ...env, HALYARD_HOME: home, HALYARD_API_KEY: apiKey },
      };
      const subjects = { raw: () => askMs(raw, project), ours: () => askMs(ours, project) };
      await alternate(1, subjects);
      return toRow(runtime, await alternate(10, subjects));
    },
  );
}

/**
 * @param {import("./parts/program.mjs").Program} program
 * @param {string} cwd
 */
function askMs(program, cwd) {
  return timeMs(async () => {
    const output = await run(program, cwd);
    if (!output.includes(ANSWER)) throw new Error(`${program.file} did not answer: ${output}`);
  });
}

/**
 * @param {string} runtime
 * @param {{ raw: number, ours: number }[]} rounds
 */
function toRow(runtime, rounds) {
  const raw = median(rounds.map((round) => round.raw));
  const ours = median(rounds.map((round) => round.ours));
  const added = ours - raw;
  return {
    figure: `halyard run, ${runtime}`,
    ours: `${ours.toFixed(0)} ms, ${added.toFixed(0)} added`,
    beside: `${raw.toFixed(0)} ms, ${runtime}'s own one-shot command`,
    target: `< ${TARGET_MS} ms added`,
    isMet: added < TARGET_MS,
    data: { raw, ours, added, rounds },
  };
}
