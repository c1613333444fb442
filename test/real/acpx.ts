import { join } from "node:path";
import { nodeProgram } from "./mcp-inspector.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/** Returns the command line of acpx, a third-party ACP client, with the Node version that it requires. */
export function acpxCommand(): [string, ...string[]] {
  return [nodeProgram, join(runtimesDir, "acpx", "node_modules", "acpx", "dist", "cli.js")];
}
