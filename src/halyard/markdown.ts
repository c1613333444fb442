import type { StreamEvent, ToolCallEvent, ToolResultEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";

/** The maximum number of lines of a tool's output in the document. */
const MOST_LINES = 40;

/**
 * Yields a session as a Markdown document in pieces: messages, tools with their results, answers, errors, and turns that
 * did not complete.
 */
export async function* toMarkdown(
  session: SessionInfo,
  batches: AsyncIterable<readonly StreamEvent[]>,
): AsyncGenerator<string> {
  const { name, about, runtime, model, cwd, createdAt, id } = session;
  const facts = [runtime, model?.id, cwd, createdAt].filter(Boolean).join(" · ");
  yield `# ${oneLine(name ?? about ?? id)}\n\n${facts}\n`;
  const calls = new Map<string, ToolCallEvent>();
  for await (const batch of batches) {
    for (const event of batch) {
      if (event.type === "tool_call") calls.set(event.callId, event);
      const text = partOf(event, calls);
      if (event.type === "tool_result") calls.delete(event.callId);
      if (text !== undefined) yield `\n${text}\n`;
    }
  }
  for (const call of calls.values()) yield `\n${toolLine(call)}\n`; // the remaining tool calls have no result
}

/** Returns the part of the document that an event adds, or undefined if it adds nothing. */
function partOf(event: StreamEvent, calls: ReadonlyMap<string, ToolCallEvent>): string | undefined {
  switch (event.type) {
    case "system":
      return event.subtype === "turn_started" || event.subtype === "turn_steered"
        ? event.text && `## User, ${event.at}\n\n${event.text}`
        : undefined;
    case "message":
      // the event that starts the turn already contains the user's message
      if (event.role === "user" || event.text.trim() === "") return undefined;
      return event.channel === "reasoning" ? quoted(event.text) : event.text.trim();
    case "tool_result": {
      const call = calls.get(event.callId);
      return call && [toolLine(call, event), resultOf(event)].filter(Boolean).join("\n\n");
    }
    case "response":
      return `*${event.decision === "allow" ? "Allowed" : "Denied"}${event.text ? `: ${oneLine(event.text)}` : ""}*`;
    case "error":
      return `**Error:** ${event.message}`;
    case "completion": {
      const { status, error } = event.outcome;
      if (status === "completed") return undefined;
      return status === "cancelled" ? "*Interrupted*" : `**Failed:** ${error?.message ?? ""}`;
    }
    case "delta":
    case "tool_call":
    case "request":
      return undefined;
  }
}

function toolLine({ name, input }: ToolCallEvent, result?: ToolResultEvent): string {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const exit = result?.exitCode === undefined ? "" : `, exit ${result.exitCode}`;
  const failed = result?.isError && exit === "" ? ", failed" : "";
  return `**${name}**${exit}${failed}\n\n${fenced(text, "json")}`;
}

function resultOf({ diff, output }: ToolResultEvent): string {
  if (diff !== undefined) return fenced(diff, "diff");
  const lines = output.trimEnd().split("\n");
  if (output.trim() === "") return "";
  const more = lines.length - MOST_LINES;
  const rest = more > 0 ? `\n… ${more} more lines` : "";
  return fenced(`${lines.slice(0, MOST_LINES).join("\n")}${rest}`, "");
}

/** Returns a code block with a fence that is longer than any fence in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function quoted(text: string): string {
  return text.trim().replace(/^/gm, "> ");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
