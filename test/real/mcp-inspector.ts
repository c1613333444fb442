import { join } from "node:path";
import { runtimesDir } from "./runtimes-dir.ts";

const platform = `${process.platform}-${process.arch}`;

/** The path of a newer Node, for tools that require it. */
export const nodeProgram = join(
  runtimesDir,
  ...["node", "node_modules", `node-${platform}`, "bin", "node"],
);

/** Returns the command line of the MCP Inspector, a third-party MCP client. */
export function mcpInspectorCommand(): [string, ...string[]] {
  const modules = join(runtimesDir, "mcp-inspector", "node_modules");
  const inspector = join(modules, "@modelcontextprotocol", "inspector");
  return [nodeProgram, join(inspector, "clients", "launcher", "build", "index.js"), "--cli"];
}
