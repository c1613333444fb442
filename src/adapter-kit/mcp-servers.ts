import type { McpServers } from "../schema/mcp-server.ts";

/**
 * Returns the MCP servers with these variables set to the empty string for servers that are programs, so that they do
 * not inherit the runtime's values. A server's own value takes precedence.
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
