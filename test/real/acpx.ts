import { join } from "node:path";
import { nodeProgram } from "./mcp-inspector.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** The command line of acpx, a client for ACP that we did not write, on the Node that it needs. */
export function acpxCommand(): [string, ...string[]] {
  return [nodeProgram, join(runtimesDir, "acpx", "node_modules", "acpx", "dist", "cli.js")];
}
