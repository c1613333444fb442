import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionId } from "../schema/id.ts";
import type { McpServer } from "../schema/mcp-server.ts";

/**
 * Returns the MCP server that reads the log of one session. The server runs this package's own program. Returns
 * undefined if the program or the MCP library is not installed.
 */
export function logServer(id: SessionId, home: string): McpServer | undefined {
  if (!existsSync(program) || !hasMcpLibrary(home)) return undefined;
  return {
    command: process.execPath,
    args: [program, "mcp", "--log", id],
    env: { HALYARD_HOME: home },
  };
}

/** This package's program. The relative path is the same from `src/programs`, `dist/programs` and `dist/bin`. */
const program = fileURLToPath(new URL("../../dist/bin/halyard.js", import.meta.url));

/** True if the MCP library is installed next to this package or in Halyard's home. */
function hasMcpLibrary(home: string): boolean {
  const near = createRequire(import.meta.url).resolve.paths(MCP_LIBRARY) ?? [];
  const installed = join(home, "runtimes", "mcp", "node_modules");
  return [...near, installed].some((directory) =>
    existsSync(join(directory, MCP_LIBRARY, "package.json")),
  );
}

const MCP_LIBRARY = "@modelcontextprotocol/server";
