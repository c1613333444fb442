import { join } from "node:path";
import type { PinnedPackage } from "../../src/adapters/versions.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** A client for MCP that we did not write, and the Node it needs. */
export const mcpInspectorPackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ["mcp-inspector", { name: "@modelcontextprotocol/inspector", version: "2.12.0" }],
  ["node", { name: `node-${process.platform}-${process.arch}`, version: "24.21.0" }],
]);

/** Its command line. */
export function mcpInspectorCommand(): [string, ...string[]] {
  const [inspector, node] = [...mcpInspectorPackages].map(([directory, { name }]) =>
    join(runtimesDir, directory, "node_modules", name),
  );
  return [`${node}/bin/node`, `${inspector}/clients/launcher/build/index.js`, "--cli"];
}
