import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import type { HostProcess } from "../../contracts/host.ts";
import { ClaudeConnection, type ConnectionParts } from "./connection.ts";
import { createStdioDriver } from "./stdio-driver.ts";

/** Creates the connection to a running Claude Code process that reads and writes JSON lines. */
export function openConnection(
  process: HostProcess,
  request: ConnectRequest,
  parts: Pick<ConnectionParts, "runtime" | "sessionId" | "onInitialized">,
): Connection {
  const { systemPrompt: appendSystemPrompt } = request;
  return new ClaudeConnection(request, {
    ...parts,
    process,
    createDriver: (own) => createStdioDriver(own, { appendSystemPrompt }),
  });
}
