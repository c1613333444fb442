import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import type { HostProcess } from "../../core/host.ts";
import { ClaudeConnection } from "./connection.ts";
import { createStdioDriver } from "./stdio-driver.ts";

/** A connection to a Claude Code that runs, line by line. */
export function speakTo(
  process: HostProcess,
  request: ConnectRequest,
  { runtime, sessionId }: { runtime: string; sessionId: string | undefined },
): Connection {
  const { systemPrompt: appendSystemPrompt } = request;
  return new ClaudeConnection(request, {
    runtime,
    process,
    sessionId,
    createDriver: (own) => createStdioDriver(own, { appendSystemPrompt }),
  });
}
