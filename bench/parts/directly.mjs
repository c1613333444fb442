import { join } from "node:path";
import { findClaude } from "../../dist/adapters/claude/find.js";
import { codexSearch } from "../../dist/adapters/codex/find.js";
import { KEY_VARIABLE, writeHome } from "../../dist/adapters/codex/home/home.js";
import { HalyardError } from "../../dist/errors/error.js";
import { findProgram } from "../../dist/programs/program.js";

/**
 * @typedef {object} Place
 * @property {string} home A private directory that is the same in every run, as a user's home is.
 * @property {string} runtimesDir
 * @property {NodeJS.ProcessEnv} env
 *
 * @typedef {import("../../dist/testing/scripted-model.js").ScriptedModel} ScriptedModel
 * @typedef {import("../../dist/schema/model.js").ModelApi} ModelApi
 * @typedef {import("./program.mjs").Program & { api: ModelApi }} DirectRun
 * @typedef {(place: Place, model: ScriptedModel, prompt: string) => Promise<DirectRun | undefined>} Prepare
 */

/**
 * The functions that prepare the one-shot command of each program, with the settings that Halyard uses. They return undefined if
 * the program is not installed.
 * @type {Record<string, Prepare>}
 */
export const directly = {
  async codex({ home, runtimesDir, env }, model, prompt) {
    const file = await found(findProgram(codexSearch({ env, runtimesDir })));
    if (file === undefined) return undefined;
    const { api, apiKey, baseUrl, id } = model.endpoint("openai-responses");
    const codexHome = join(home, ".codex");
    await writeHome(codexHome, { source: { kind: "endpoint", baseUrl, apiKey }, login: undefined });
    const args = ["exec", "--json", "--skip-git-repo-check", "--model", id, prompt];
    return { api, file, args, env: { ...env, CODEX_HOME: codexHome, [KEY_VARIABLE]: apiKey } };
  },

  async claude({ runtimesDir, env }, model, prompt) {
    const file = await found(findClaude({ env, runtimesDir }));
    if (file === undefined) return undefined;
    const { api, apiKey, baseUrl, id } = model.endpoint("anthropic");
    const args = ["-p", prompt, "--output-format", "stream-json", "--verbose", "--model", id];
    const settings = {
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    };
    return { api, file, args, env: { ...env, ...settings } };
  },
};

/** @param {Promise<{ file: string }>} program */
async function found(program) {
  try {
    return (await program).file;
  } catch (error) {
    if (error instanceof HalyardError && error.code === "runtime_unavailable") return undefined;
    throw error;
  }
}
