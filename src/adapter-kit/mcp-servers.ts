import type { McpServers } from "../schema/mcp-server.ts";

/**
 * Returns a copy of the MCP servers. For each server that runs as a program, the named variables are set to the empty
 * string, so that the program does not inherit the runtime's values. A value in the server's own `env` takes precedence.
 */
export function withoutInherited(servers: McpServers, names: readonly string[]): McpServers {
  const nothing = Object.fromEntries(names.map((name) => [name, ""]));
  const entries = Object.entries(servers).map(([name, server]) =>
    "url" in server
      ? ([name, server] as const)
      : ([name, { ...server, env: { ...nothing, ...server.env } }] as const),
  );
  return Object.fromEntries(entries);
}
