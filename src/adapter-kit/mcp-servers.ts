import type { McpServers } from "../schema/mcp-server.ts";

/**
 * Returns a copy of the MCP servers in which the named variables of each program are empty strings. Otherwise, the
 * program would inherit the runtime's values. A value in the server's own `env` takes precedence.
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
