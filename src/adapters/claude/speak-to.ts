import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import type { HostProcess } from "../../core/host.ts";
import { ClaudeConnection, type ConnectionParts } from "./connection.ts";
import { createStdioDriver } from "./stdio-driver.ts";

/** A connection to a Claude Code that runs, line by line. */
export function speakTo(
  process: HostProcess,
  request: ConnectRequest,
  parts: Pick<ConnectionParts, "runtime" | "sessionId" | "onIntroduced">,
): Connection {
  const { systemPrompt: appendSystemPrompt } = request;
  return new ClaudeConnection(request, {
    ...parts,
    process,
    createDriver: (own) => createStdioDriver(own, { appendSystemPrompt }),
  });
}
