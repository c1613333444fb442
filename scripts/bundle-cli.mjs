import { chmod, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/**
 * Bundles the CLI into a few files instead of several hundred, because each file that is loaded delays a command. Each command
 * is loaded on demand. Optional packages and packages with a native binary are not bundled.
 */
const dist = process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url));
const outside = [
  /^@photostructure\/sqlite/,
  /^@earendil-works\//,
  /^@anthropic-ai\//,
  /^@copilotkit\//,
  /^@nats-io\//,
  /^@modelcontextprotocol\//,
  /^@agentclientprotocol\//,
  /^@opentelemetry\//,
];

const runtimes = ["acp", "claude", "codex", "droid", "opencode", "pi", "terminal"];

/** Modules that are loaded together, by the name of their bundle. A bundle omits modules of the bundles before it. */
const bundles = new Map([
  ["commands", ["cli/program.js"]],
  ["schemas", ["cli/disable-schema-jit.js"]],
  ["store", ["stores/sqlite/store.js"]],
  ["engine", ["cli/run/run.js"]],
  ["turn-output", ["cli/run/send-and-print.js"]],
  ["config-files", ["config/json/json-text.js", "config/files/index.js"]],
  ["presets", ["adapters/acp/agent/presets.js"]],
  ...runtimes.map((name) => [name, partsOf(name)]),
  ["claude-connection", ["adapters/claude/open-connection.js"]],
  ["codex-connection", ["adapters/codex/connection.js"]],
]);

/** Modules of commands that only call a daemon. They do not load the engine. */
const clientModules = [
  "cli/sessions/sessions.js",
  "client/index.js",
  "daemon/find.js",
  "schema/http/http.js",
];

await rm(`${dist}/bin`, { recursive: true, force: true });
const bundle = await rolldown({
  input: { halyard: `${dist}/cli/main.js` },
  platform: "node",
  preserveEntrySignatures: false,
  // Prefer the entry point for bundlers, because the one for Node may load its parts dynamically.
  resolve: { mainFields: ["module", "main"] },
  external: outside,
  checks: { ineffectiveDynamicImport: false }, // intended, see `bundles`
  // Warnings are errors, such as the warning that `import.meta.resolve` is undefined in CommonJS.
  onLog: (level, log, report) => report(level === "warn" ? "error" : level, log),
  plugins: [{ name: "ascii", generateBundle: escapeLetters }],
});
await bundle.write({
  dir: `${dist}/bin`,
  format: "cjs",
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } }, // names are kept for stack traces
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: "bundles", name: bundleOf }],
  },
});
await writeFile(`${dist}/bin/package.json`, JSON.stringify({ type: "commonjs" }));
await chmod(`${dist}/bin/halyard.js`, 0o755);

/**
 * Escapes characters outside ASCII: with one of them, V8 stores the whole file with two bytes per character.
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
function bundleOf(id, graph) {
  for (const [name, paths] of bundles) {
    if (!reach(paths, graph).has(id)) continue;
    const whole = isShared(id, name) ? "programs" : name;
    const isOfRunning = ["store", "engine", "turn-output", "programs"].includes(whole);
    return isOfRunning && reach(clientModules, graph).has(id) ? "common" : whole;
  }
  return null;
}

/** @param {string} runtime */
function partsOf(runtime) {
  return ["index", "connect"].map((part) => `adapters/${runtime}/${part}.js`);
}

/**
 * True if a module of a runtime's bundle is outside its adapter, and therefore shared by all runtimes.
 * @param {string} id
 * @param {string} name
 */
function isShared(id, name) {
  return runtimes.includes(name) && !id.includes(`/adapters/${name}/`);
}

/**
 * Returns the modules and everything that they import statically.
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
