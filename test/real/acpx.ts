import { join } from "node:path";
import type { PinnedPackage } from "../../src/adapters/versions.ts";
import { mcpInspectorPackages } from "./mcp-inspector.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** A client for ACP that we did not write. */
export const acpxPackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ["acpx", { name: "acpx", version: "0.19.1" }],
]);

/** Its command line, on the Node that it needs. */
export function acpxCommand(): [string, ...string[]] {
  const node = mcpInspectorPackages.get("node")?.name ?? "";
  return [
    join(runtimesDir, "node", "node_modules", node, "bin", "node"),
    join(runtimesDir, "acpx", "node_modules", "acpx", "dist", "cli.js"),
  ];
}
