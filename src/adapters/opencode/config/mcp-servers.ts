import { z } from "zod";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { parseInput } from "../../../errors/parse-input.ts";
import type { McpServers } from "../../../schema/mcp-server.ts";
import { OpenCodeOptions } from "../../../schema/runtimes/runtime-options.ts";

/** Returns the MCP servers in a session's options. Throws `invalid_input` if the options do not match the schema. */
export function mcpServersOf({ options }: Pick<ConnectRequest, "options">): McpServers {
  return parseInput(OpenCodeOptions, options).mcpServers;
}

/** Converts MCP servers to OpenCode's configuration. */
export function mcpConfig(servers: McpServers): Record<string, unknown> {
  const entries = Object.entries(servers).map(([name, server]) => {
    if ("url" in server) {
      const { url, headers } = server; // `server.type` is not passed, because OpenCode detects HTTP or SSE itself
      return [name, { type: "remote", enabled: true, url, headers }];
    }
    const { command, args, env: environment } = server;
    return [name, { type: "local", enabled: true, command: [command, ...args], environment }];
  });
  return Object.fromEntries(entries);
}

/** The status of each MCP server, as OpenCode reports it. */
export const McpStatus = z.record(
  z.string(),
  z.looseObject({ status: z.string(), error: z.string().optional() }),
);
export type McpStatus = z.infer<typeof McpStatus>;

/** Returns a warning for each of the session's MCP servers that is not connected. */
export function serverWarnings(servers: McpServers, found: McpStatus): EventDraft[] {
  return Object.keys(servers).flatMap((name): EventDraft[] => {
    const { status, error = status } = found[name] ?? { status: "unknown to OpenCode" };
    if (status === "connected") return [];
    return [{ type: "system", subtype: "warning", text: `MCP server ${name}: ${error}` }];
  });
}
