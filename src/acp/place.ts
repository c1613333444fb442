import { HalyardError } from "../core/error.ts";
import type { Conversation } from "./conversation.ts";
import type { Place } from "./conversations.ts";
import { type NamedServer, toMcpServers } from "./mcp-servers.ts";

/** Where a client wants a session to be, in either version of the protocol. */
export function toPlace({
  cwd,
  mcpServers = [],
  additionalDirectories = [],
}: {
  cwd: string;
  mcpServers?: readonly NamedServer[];
  additionalDirectories?: readonly string[];
}): Place {
  if (additionalDirectories.length > 0)
    throw new HalyardError("unsupported", "a session of Halyard's works in one directory");
  return { cwd, mcpServers: toMcpServers(mcpServers) };
}

/** In version 1 a session takes one prompt at a time. */
export function requireNoMore({ isBusy, info }: Conversation): void {
  if (!isBusy) return;
  const message = `a prompt is under way in ${info.id}: wait for its end, or cancel it`;
  throw new HalyardError("invalid_input", message);
}
