import { HalyardError } from "../../core/error.ts";
import type { McpServers } from "../../schema/mcp-server.ts";

/** A session's MCP servers as Codex has them in its settings. */
export function toMcpSettings(servers: McpServers): Record<string, unknown> {
  const settings = Object.entries(servers).map(([name, server]) => {
    if (!("url" in server)) return [name, server];
    const { type, url, headers } = server;
    if (type === "sse")
      throw new HalyardError("unsupported", `Codex takes no MCP server over SSE: ${name}`);
    return [name, { url, http_headers: headers }];
  });
  return Object.fromEntries(settings);
}
