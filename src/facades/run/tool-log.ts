import type { AgentEvent } from "./agent-event.ts";

/** Where lines go, and what stands in each beside the tool: a session, a channel, whatever tells runs apart. */
export interface LogContext {
  readonly log: (line: string) => void;
  readonly [name: string]: unknown;
}

/** Logs the start and the result of every tool, for any runtime: call it from `onAgentEvent`. */
export function logToolEvent(event: AgentEvent, { log, ...context }: LogContext): void {
  const what = outcome(event);
  if (what === undefined) return;
  const pairs = Object.entries({ run: event.runId, ...context })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${String(value)}`);
  log(`Tool: ${event.name ?? "unknown"} ${what} (${pairs.join(" ")})`);
}

function outcome({ type, data }: AgentEvent): string | undefined {
  if (type === "tool_start") return "starting...";
  if (type !== "tool_result") return undefined;
  return data.isError === true ? "failed" : "completed";
}
