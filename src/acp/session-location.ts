import { HalyardError } from "../errors/error.ts";
import type { Beginning, Conversation } from "./conversations/conversation.ts";
import type { SessionLocation } from "./conversations/conversations.ts";
import { type NamedServer, toMcpServers } from "./mcp-servers.ts";
import { type RequestMeta, readMeta } from "./meta.ts";

/**
 * Reads the working directory and MCP servers of a request, in either protocol version. Throws `unsupported` if the
 * request has additional directories.
 */
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
      "A session cannot have additional directories. Remove additionalDirectories from the request.",
    );
  return { cwd, mcpServers: toMcpServers(mcpServers) };
}

/**
 * Returns the position of the first update: after the cursor in `_meta.halyard.after`, otherwise the default of the
 * method.
 */
export function readBeginning(params: RequestMeta, otherwise: "start" | "now"): Beginning {
  const { after } = readMeta(params);
  return after === undefined ? otherwise : { after };
}

/** Throws `invalid_input` if a prompt is running, because protocol version 1 allows only one prompt at a time. */
export function requireIdle({ isBusy, info }: Conversation): void {
  if (!isBusy) return;
  const message = `A prompt is running in ${info.id}. Wait for it to end, or cancel it.`;
  throw new HalyardError("invalid_input", message);
}
