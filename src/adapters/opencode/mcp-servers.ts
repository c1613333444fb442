import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import type { EventDraft } from "../../core/draft.ts";
import { parseInput } from "../../core/parse-input.ts";
import type { McpServers } from "../../schema/mcp-server.ts";
import { OpenCodeOptions } from "../../schema/runtime-options.ts";

/** The MCP servers that a session brings. */
export function mcpServersOf({ options }: Pick<ConnectRequest, "options">): McpServers {
  return parseInput(OpenCodeOptions, options).mcpServers;
}

/** The same as OpenCode has them in its configuration, whatever else is said of them there. */
export function mcpConfig(servers: McpServers): Record<string, unknown> {
  const entries = Object.entries(servers).map(([name, server]) => {
    if ("url" in server) {
      const { url, headers } = server; // it finds out by itself which of the two ways it is
      return [name, { type: "remote", enabled: true, url, headers }];
    }
    const { command, args, env: environment } = server;
    return [name, { type: "local", enabled: true, command: [command, ...args], environment }];
  });
  return Object.fromEntries(entries);
}

/** What OpenCode says of its MCP servers. */
export const McpStatus = z.record(
  z.string(),
  z.looseObject({ status: z.string(), error: z.string().optional() }),
);
export type McpStatus = z.infer<typeof McpStatus>;

/** A warning of each server of the session's that is not there. */
export function serverWarnings(servers: McpServers, found: McpStatus): EventDraft[] {
  return Object.keys(servers).flatMap((name): EventDraft[] => {
    const { status, error = status } = found[name] ?? { status: "unknown to OpenCode" };
    if (status === "connected") return [];
    return [{ type: "system", subtype: "warning", text: `MCP server ${name}: ${error}` }];
  });
}
