import { chmod, rm } from "node:fs/promises";
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

await rm(`${dist}/bin`, { recursive: true, force: true });
const bundle = await rolldown({
  input: { halyard: `${dist}/cli/main.js` },
  platform: "node",
  // What a package has for bundlers before what it has for Node: the latter may load its parts by itself.
  resolve: { mainFields: ["module", "main"] },
  external: outside,
});
await bundle.write({
  dir: `${dist}/bin`,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
});
await chmod(`${dist}/bin/halyard.js`, 0o755);
