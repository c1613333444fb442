import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { claudeToolCalls } from "../dist/adapters/claude/events/tool-calls.js";
import { codexToolCalls } from "../dist/adapters/codex/events/tool-calls.js";
import { droidToolCalls } from "../dist/adapters/droid/events/tool-calls.js";
import { piToolCalls } from "../dist/adapters/pi/events/tool-calls.js";
import { runtimePackages } from "../dist/adapters/versions.js";
import { createHalyard } from "../dist/create-halyard.js";
import { startScriptedModel } from "../dist/testing/scripted-model.js";

/**
 * Installs the newest version of every agent into a temporary directory and runs a short matrix on each: a text, a command,
 * and a resume, with a scripted model that checks the key. Prints a table: agent, pinned, newest, result, the native messages
 * that no mapper knows, and the differences of the agent's own schema. Arguments limit it to some runtimes. The pinned
 * programs stay installed, and nothing is changed. Exits with 1 if an agent fails.
 */
const run = promisify(execFile);

/** The package of the newest version, if its name differs from the pinned one. @type {Record<string, string>} */
const renamed = { droid: "@factory/cli" };

/** @type {Record<string, { api: import("../dist/schema/model.js").ModelApi, shell: (command: string) => object }>} */
const agents = {
  claude: { api: "anthropic", shell: claudeToolCalls.shell },
  ccsdk: { api: "anthropic", shell: claudeToolCalls.shell },
  codex: { api: "openai-responses", shell: codexToolCalls.shell },
  droid: { api: "openai-chat", shell: droidToolCalls.shell },
  opencode: {
    api: "openai-chat",
    shell: (command) => ({ name: "bash", input: { command, description: "Runs it" } }),
  },
  pi: { api: "openai-chat", shell: piToolCalls.shell },
};

const only = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), "halyard-drift-"));
const rows = ["| agent | pinned | newest | result | unknown messages | schema |"];
rows.push("| --- | --- | --- | --- | --- | --- |");
try {
  for (const [runtime, pinned] of runtimePackages) {
    if (only.length > 0 && !only.includes(runtime)) continue;
    const name = renamed[runtime] ?? pinned.name;
    const newest = await newestOf(name);
    process.stderr.write(`${runtime}: ${name}@${newest}\n`);
    const { result, unknown = [], schema = "" } = await check(runtime, `${name}@${newest}`);
    if (result !== "passed") process.exitCode = 1;
    rows.push(
      `| ${runtime} | ${pinned.version} | ${newest} | ${result} | ${unknown.join(", ") || "none"} | ${schema} |`,
    );
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
process.stdout.write(`${rows.join("\n")}\n`);

/** @param {string} name */
async function newestOf(name) {
  const { stdout } = await run("npm", ["view", name, "version", "--silent"]);
  return stdout.trim();
}

/**
 * @param {string} runtime
 * @param {string} specifier
 * @returns {Promise<{ result: string, unknown?: string[], schema?: string }>}
 */
async function check(runtime, specifier) {
  try {
    await install(join(home, "runtimes", runtime), specifier);
  } catch (error) {
    return { result: `not installable: ${firstLine(error)}` };
  }
  try {
    return { result: "passed", ...(await runMatrix(runtime)) };
  } catch (error) {
    return { result: `failed: ${firstLine(error)}` };
  }
}

/**
 * @param {string} directory
 * @param {string} specifier
 */
async function install(directory, specifier) {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), JSON.stringify({ private: true }));
  const flags = ["--no-audit", "--no-fund", "--silent"];
  await run("npm", ["install", ...flags, specifier], { cwd: directory });
}

/** @param {string} runtime */
async function runMatrix(runtime) {
  const model = await startScriptedModel();
  const env = { PATH: process.env.PATH, HOME: home };
  const halyard = await createHalyard({ home, env, store: "memory" });
  try {
    return await converse(runtime, halyard, model);
  } finally {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  }
}

/**
 * @param {string} runtime
 * @param {import("../dist/contracts/halyard.js").Halyard} halyard
 * @param {import("../dist/testing/scripted-model.js").ScriptedModel} model
 */
async function converse(runtime, halyard, model) {
  const { api, shell } = agents[runtime] ?? {};
  if (api === undefined || shell === undefined) throw new Error("no matrix for this agent");
  const cwd = await mkdtemp(join(home, "work-"));
  model.on("greet", { text: "Hello." });
  model.on(
    "count",
    { toolCalls: [/** @type {any} */ (shell("echo drift-works"))] },
    { text: "Done." },
  );
  const options = { model: model.endpoint(api), permissions: /** @type {const} */ ("allow-all") };
  const first = await halyard.start({ runtime, cwd, checkpoints: false, ...options });
  await expectText(first.send("greet me"), "Hello.");
  await expectText(first.send("count the files"), "Done.");
  await first.stop();
  const second = await halyard.resume(first.id, options);
  await expectText(second.send("greet me again"), "Hello.");
  await second.stop();
  /** @type {Set<string>} */
  const unknown = new Set();
  let hasOutput = false;
  for await (const event of halyard.events(first.id, { follow: false })) {
    if (event.type === "tool_result") hasOutput ||= event.output.includes("drift-works");
    if (event.type === "system" && event.subtype === "raw")
      unknown.add(nameOf(event.data?.message));
  }
  if (!hasOutput) throw new Error("the output of the command is missing");
  const { schema } = await halyard.inspect(runtime);
  const changes = schema && `+${schema.added.length} −${schema.removed.length}`;
  return { unknown: [...unknown].sort(), schema: changes ?? "not printed" };
}

/**
 * @param {import("../dist/contracts/turn.js").Turn} turn
 * @param {string} text
 */
async function expectText(turn, text) {
  const outcome = await turn.outcome;
  if (outcome.text === text) return;
  throw new Error(outcome.error?.message ?? `the answer is ${JSON.stringify(outcome.text)}`);
}

/** @param {any} message */
function nameOf(message) {
  const { method, type, subtype, params } = Object(message);
  const kind = method ?? [type, subtype].filter(Boolean).join("/");
  return [kind, params?.notification?.type].filter(Boolean).join(":") || "unnamed";
}

/** @param {unknown} error */
function firstLine(error) {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.slice(0, 200).replaceAll("|", "/");
}
