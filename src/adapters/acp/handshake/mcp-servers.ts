import { isAbsolute } from "node:path";
import { HalyardError } from "../../../errors/error.ts";
import type { McpServers } from "../../../schema/mcp-server.ts";
import type { Agreement } from "./agreement.ts";

/**
 * Converts a session's MCP servers to the format of the agent's protocol version. Throws `unsupported` if the agent does
 * not support the transport of a server, and `invalid_input` if a command is not an absolute path.
 */
export function toMcpServers(servers: McpServers, { version, mcp, agent }: Agreement): unknown[] {
  return Object.entries(servers).map(([name, server]) => {
    if ("url" in server) {
      const { type, url, headers } = server;
      if (!mcp[type])
        throw new HalyardError(
          "unsupported",
          `${agent} does not support MCP servers over ${type}: ${name}. Remove the server, or use another transport.`,
        );
      return { type, name, url, headers: pairs(headers) };
    }
    const { command, args, env } = server;
    if (!isAbsolute(command))
      throw new HalyardError(
        "invalid_input",
        `The command of MCP server ${name} is not an absolute path: ${command}. Pass the full path of the program.`,
      );
    const program = { name, command, args, env: pairs(env) };
    return version === 2 ? { type: "stdio", ...program } : program;
  });
}

function pairs(values: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
