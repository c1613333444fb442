import type { McpServers } from "../schema/mcp-server.ts";

/** Sets these variables of the runtime to empty for MCP servers that are programs, unless a server sets them itself. */
export function withoutInherited(servers: McpServers, names: readonly string[]): McpServers {
  const nothing = Object.fromEntries(names.map((name) => [name, ""]));
  const entries = Object.entries(servers).map(([name, server]) =>
    "url" in server
      ? ([name, server] as const)
      : ([name, { ...server, env: { ...nothing, ...server.env } }] as const),
  );
  return Object.fromEntries(entries);
}
