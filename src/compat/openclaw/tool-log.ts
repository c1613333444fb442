import type { AgentEvent } from "./agent-event.ts";

/** A logger, and additional fields for each line, such as a session or a channel. */
export interface LogContext {
  /** Defaults to `console`. */
  readonly log?: ((line: string) => void) | { info(line: string): void } | undefined;
  readonly [name: string]: unknown;
}

/** Logs an event that is the start or the result of a tool call, and ignores any other event. Call it in `onAgentEvent`. */
export function logToolEvent(
  event: ToolEvent,
  { log = console, ...context }: LogContext = {},
): void {
  const what = outcome(event);
  if (what === undefined) return;
  const pairs = Object.entries({ run: event.runId, ...context })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${String(value)}`);
  const line = `Tool: ${event.name ?? "unknown"} ${what}`;
  const write = typeof log === "function" ? log : (text: string) => log.info(text);
  write(pairs.length > 0 ? `${line} (${pairs.join(" ")})` : line);
}

/** An agent event for `logToolEvent`. Only `type` is required. */
export type ToolEvent = Pick<AgentEvent, "type"> & Partial<AgentEvent>;

function outcome({ type, data }: ToolEvent): string | undefined {
  if (type === "tool_start") return "starting...";
  if (type !== "tool_result") return undefined;
  return data?.isError === true ? "failed" : "completed";
}
