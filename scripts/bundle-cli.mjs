import { chmod, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/**
 * The command line in few files instead of some hundred: what a command loads is what it waits for. Commands stay
 * apart, each loaded when it is asked for; what is optional or brings a binary stays outside.
 */
const dist = process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url));
const outside = [
  /^@photostructure\/sqlite/,
  /^@earendil-works\//,
  /^@anthropic-ai\//,
  /^@copilotkit\//,
  /^@modelcontextprotocol\//,
  /^@agentclientprotocol\//,
];

const runtimes = ["acp", "claude", "codex", "droid", "opencode", "pi", "terminal"];

/** What is loaded together is in one file, with all that those before it do not have: every file costs time of its own. */
const wholes = new Map([
  ["commands", ["cli/program.js"]],
  ["schemas", ["cli/parse-rarely.js"]],
  ["engine", ["cli/actions/run.js", "stores/sqlite/store.js"]],
  ["playing", ["cli/play-turn.js"]],
  ["config-files", ["config/json-text.js", "config/files/index.js"]],
  ["presets", ["adapters/acp/presets.js"]],
  ...runtimes.map((name) => [name, partsOf(name)]),
  ["claude-speech", ["adapters/claude/speak-to.js"]],
  ["codex-speech", ["adapters/codex/connection.js"]],
]);

/** What a command loads that asks a daemon: it has no use for the rest of the engine. */
const asking = ["cli/actions/sessions.js", "client/index.js", "daemon/find.js", "schema/http.js"];

await rm(`${dist}/bin`, { recursive: true, force: true });
const bundle = await rolldown({
  input: { halyard: `${dist}/cli/main.js` },
  platform: "node",
  preserveEntrySignatures: false,
  // What a package has for bundlers before what it has for Node: the latter may load its parts by itself.
  resolve: { mainFields: ["module", "main"] },
  external: outside,
  checks: { ineffectiveDynamicImport: false }, // on purpose, see `wholes`
  // One of them says that `import.meta.resolve` is nothing there.
  onLog: (level, log, tell) => tell(level === "warn" ? "error" : level, log),
  plugins: [{ name: "ascii", generateBundle: escapeLetters }],
});
await bundle.write({
  dir: `${dist}/bin`,
  format: "cjs",
  comments: false,
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: "wholes", name: nameWhole }],
  },
});
await writeFile(`${dist}/bin/package.json`, JSON.stringify({ type: "commonjs" }));
await chmod(`${dist}/bin/halyard.js`, 0o755);

/**
 * One letter that is not ASCII, and V8 keeps the whole file at two bytes each.
 * @param {unknown} _options
 * @param {import("rolldown").OutputBundle} files
 */
function escapeLetters(_options, files) {
  const toAscii = (/** @type {string} */ letter) =>
    `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  for (const file of Object.values(files)) {
    if (file.type === "chunk") file.code = file.code.replace(/[\u0080-\uffff]/g, toAscii);
  }
}

/**
 * @typedef {{ getModuleInfo(id: string): { importedIds: readonly string[] } | null }} Graph
 *
 * @param {string} id
 * @param {Graph} graph
 */
function nameWhole(id, graph) {
  for (const [name, paths] of wholes) {
    if (!reach(paths, graph).has(id)) continue;
    const whole = isShared(id, name) ? "programs" : name;
    const isOfRunning = ["engine", "playing", "programs"].includes(whole);
    return isOfRunning && reach(asking, graph).has(id) ? "common" : whole;
  }
  return null;
}

/** @param {string} runtime */
function partsOf(runtime) {
  return ["index", "connect"].map((part) => `adapters/${runtime}/${part}.js`);
}

/**
 * What a runtime's adapter has from elsewhere is there for all of them.
 * @param {string} id
 * @param {string} name
 */
function isShared(id, name) {
  return runtimes.includes(name) && !id.includes(`/adapters/${name}/`);
}

/**
 * These modules, and all that is loaded with them.
 * @param {readonly string[]} paths
 * @param {Graph} graph
 */
function reach(paths, graph) {
  const ids = new Set(paths.map((path) => `${dist}/${path}`));
  for (const id of ids) {
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) ids.add(next);
  }
  return ids;
}
