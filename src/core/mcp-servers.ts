import type { McpServers } from "../schema/mcp-server.ts";

/** Programs among the servers see these variables of the runtime's empty, unless they were given them by name. */
export function withoutInherited(servers: McpServers, names: readonly string[]): McpServers {
  const nothing = Object.fromEntries(names.map((name) => [name, ""]));
  const entries = Object.entries(servers).map(([name, server]) =>
    "url" in server
      ? ([name, server] as const)
      : ([name, { ...server, env: { ...nothing, ...server.env } }] as const),
  );
  return Object.fromEntries(entries);
}
