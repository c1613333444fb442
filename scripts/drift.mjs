import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { claudeToolCalls } from "../dist/adapters/claude/events/tool-calls.js";
import { codexToolCalls } from "../dist/adapters/codex/events/tool-calls.js";
import { droidToolCalls } from "../dist/adapters/droid/events/tool-calls.js";
import { NEWER_NODE, newerNodePackage } from "../dist/adapters/newer-node.js";
import { piToolCalls } from "../dist/adapters/pi/events/tool-calls.js";
import { piAdapter } from "../dist/adapters/pi/index.js";
import { runtimePackages } from "../dist/adapters/versions.js";
import { explainNpmFailure } from "../dist/cli/install/npm-failure.js";
import { createHalyard } from "../dist/create-halyard.js";
import { satisfiesNode } from "../dist/programs/node-range.js";
import { thisPlatform } from "../dist/programs/platform.js";
import { startScriptedModel } from "../dist/testing/scripted-model.js";

/**
 * Installs the newest version of every agent into a temporary directory and runs a short matrix on each: a text, a command,
 * and a resume, with a scripted model that checks the key. Prints a table: agent, pinned, newest, result, the native messages
 * that no mapper knows, and how many names the agent's schema has gained and lost since the tested version. Arguments select
 * runtimes and, optionally, versions: `codex pi@0.87.1`. Leaves the pinned programs unchanged. Exits with 1 if an agent fails. A
 * version that cannot be installed is not a failure.
 */
const run = promisify(execFile);

/**
 * The package of the newest version, if its name differs from the pinned one. For Droid, this is the package that contains
 * the program: the package that selects a platform may be published earlier, or for other versions.
 * @type {Record<string, string>}
 */
const renamed = { droid: `@factory/cli-${process.platform}-${process.arch}` };

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

const only = new Map(process.argv.slice(2).map(readArgument));
const home = await mkdtemp(join(tmpdir(), "halyard-drift-"));
/** The Halyard instance that runs the current agent. A signal disposes it. @type {AsyncDisposable | undefined} */
let running;
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, async () => {
    process.exitCode = 1;
    stop.abort(); // kills npm if it is running
    await running?.[Symbol.asyncDispose](); // stops the agent
  });

const rows = ["| agent | pinned | newest | result | unknown messages | schema |"];
rows.push("| --- | --- | --- | --- | --- | --- |");
try {
  for (const [runtime, pinned] of runtimePackages) {
    if (only.size > 0 && !only.has(runtime)) continue;
    const name = renamed[runtime] ?? pinned.name;
    const version = only.get(runtime) ?? (await newestOf(name));
    process.stderr.write(`${runtime}: ${name}@${version}\n`);
    const { result, unknown, schema } = await check(runtime, pinned, { name, version });
    if (stop.signal.aborted) break;
    if (result.startsWith("failed")) process.exitCode = 1;
    const messages = unknown === undefined ? "not run" : unknown.join(", ") || "none";
    rows.push(
      `| ${runtime} | ${pinned.version} | ${version} | ${result} | ${messages} | ${schema ?? "not run"} |`,
    );
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
process.stdout.write(`${rows.join("\n")}\n`);

/**
 * Parses an argument of the form `RUNTIME` or `RUNTIME@VERSION`.
 * @param {string} argument
 * @returns {[runtime: string, version: string | undefined]}
 */
function readArgument(argument) {
  const [runtime = "", version] = argument.split("@");
  if (runtimePackages.has(runtime)) return [runtime, version];
  const known = [...runtimePackages.keys()].join(", ");
  throw new Error(`The runtime "${runtime}" is not known. Choose one of: ${known}.`);
}

/** @param {string} name */
async function newestOf(name) {
  const { stdout } = await run("npm", ["view", name, "version", "--silent"], {
    signal: stop.signal,
  });
  return stdout.trim();
}

/**
 * @param {string} runtime
 * @param {import("../dist/adapters/versions.js").PinnedPackage} pinned
 * @param {import("../dist/adapters/versions.js").PinnedPackage} newest
 * @returns {Promise<{ result: string, unknown?: string[], schema?: string }>}
 */
async function check(runtime, { needsNode }, newest) {
  try {
    await install(runtime, newest);
    const node = newerNodePackage(thisPlatform);
    const isTooOld = needsNode !== undefined && !satisfiesNode(process.versions.node, needsNode);
    if (isTooOld && node) await install(NEWER_NODE, node);
  } catch (error) {
    return { result: `not installable: ${toCell(error)}` };
  }
  try {
    return { result: "passed", ...(await runMatrix(runtime, newest.version)) };
  } catch (error) {
    return { result: `failed: ${toCell(error)}` };
  }
}

/**
 * @param {string} folder
 * @param {import("../dist/adapters/versions.js").PinnedPackage} wanted
 */
async function install(folder, { name, version }) {
  const directory = join(home, "runtimes", folder);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), JSON.stringify({ private: true }));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
  try {
    await run("npm", ["install", ...flags, "--loglevel=error", `${name}@${version}`], {
      cwd: directory,
      signal: stop.signal,
    });
  } catch (error) {
    throw new Error(explainNpmFailure(String(Object(error).stderr)) ?? String(error));
  }
}

/**
 * @param {string} runtime
 * @param {string} version
 */
async function runMatrix(runtime, version) {
  const model = await startScriptedModel();
  const env = { PATH: process.env.PATH, HOME: home };
  const adapters = runtime === "pi" ? [installedPi(env)] : [];
  const halyard = await createHalyard({ home, env, adapters, store: "memory" });
  running = halyard;
  try {
    const { availability, schema } = await halyard.inspect(runtime, { schema: true });
    if (!availability.available) throw new Error(availability.reason);
    if (availability.version !== version)
      throw new Error(`version ${availability.version} runs instead`);
    const unknown = await converse(runtime, halyard, model);
    const changes = schema && `+${schema.added.length} −${schema.removed.length}`;
    return { unknown, schema: changes ?? "not printed" };
  } finally {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  }
}

/**
 * Returns an adapter for the Pi that this script has installed. The default adapter uses the embedded Pi instead.
 * @param {Record<string, string | undefined>} env
 */
function installedPi(env) {
  const runtimesDir = join(home, "runtimes");
  const bin = join(runtimesDir, "pi", "node_modules", ".bin", "pi");
  return piAdapter({ mode: "rpc", env, runtimesDir, bin });
}

/**
 * @param {string} runtime
 * @param {import("../dist/contracts/halyard.js").Halyard} halyard
 * @param {import("../dist/testing/scripted-model.js").ScriptedModel} model
 */
async function converse(runtime, halyard, model) {
  const { api, shell } = agents[runtime] ?? {};
  if (api === undefined || shell === undefined)
    throw new Error("the agent has no matrix: add it to `agents` in scripts/drift.mjs");
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
  return [...unknown].sort();
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

/**
 * Returns an error message as the text of a table cell, with at most 200 characters.
 * @param {unknown} error
 */
function toCell(error) {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/\s+/g, " ").slice(0, 200).replaceAll("|", "/");
}
