import { isAbsolute } from "node:path";
import { HalyardError } from "../../core/error.ts";
import type { McpServers } from "../../schema/mcp-server.ts";
import type { Agreement } from "./agreement.ts";

/** The MCP servers of a session in the words of the version that was agreed on. */
export function toMcpServers(servers: McpServers, { version, mcp, agent }: Agreement): unknown[] {
  return Object.entries(servers).map(([name, server]) => {
    if ("url" in server) {
      const { type, url, headers } = server;
      if (!mcp[type])
        throw new HalyardError("unsupported", `${agent} takes no MCP server over ${type}: ${name}`);
      return { type, name, url, headers: pairs(headers) };
    }
    const { command, args, env } = server;
    if (!isAbsolute(command))
      throw new HalyardError(
        "invalid_input",
        `the program of MCP server ${name} has to be an absolute path, not ${command}`,
      );
    const program = { name, command, args, env: pairs(env) };
    return version === 2 ? { type: "stdio", ...program } : program;
  });
}

function pairs(values: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
