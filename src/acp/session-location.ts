import { HalyardError } from "../errors/error.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionLocation } from "./conversations.ts";
import { type NamedServer, toMcpServers } from "./mcp-servers.ts";

/** Reads the working directory and MCP servers of a request, in either version of the protocol. */
export function toLocation({
  cwd,
  mcpServers = [],
  additionalDirectories = [],
}: {
  cwd: string;
  mcpServers?: readonly NamedServer[];
  additionalDirectories?: readonly string[];
}): SessionLocation {
  if (additionalDirectories.length > 0)
    throw new HalyardError(
      "unsupported",
      "A session has one working directory. Remove additionalDirectories.",
    );
  return { cwd, mcpServers: toMcpServers(mcpServers) };
}

/** Rejects a second prompt: version 1 allows one prompt at a time. */
export function requireIdle({ isBusy, info }: Conversation): void {
  if (!isBusy) return;
  const message = `A prompt is running in ${info.id}. Wait for it to end, or cancel it.`;
  throw new HalyardError("invalid_input", message);
}
