import type { StreamEvent } from "../../schema/event.ts";
import type { SessionInfo } from "../../schema/session.ts";

/**
 * Returns the log of a session as text for a model: messages, tool calls and results, plans, errors, and how turns
 * ended. Truncates long entries, and omits the oldest entries of a long log.
 */
export async function transcriptOf(
  { id, runtime, cwd }: Pick<SessionInfo, "id" | "runtime" | "cwd">,
  events: AsyncIterable<StreamEvent>,
): Promise<string> {
  const entries: string[] = [];
  let length = 0;
  let omitted = 0;
  for await (const event of events) {
    const entry = entryOf(event);
    if (entry === undefined) continue;
    entries.push(entry);
    length += entry.length;
    for (; length > LONGEST; omitted++) length -= entries.shift()?.length ?? 0;
  }
  const start = omitted === 0 ? [] : [`${omitted} earlier entries are omitted.`];
  return [`# Log of session ${id} (${runtime}) in ${cwd}`, ...start, ...entries, ""].join("\n\n");
}

function entryOf(event: StreamEvent): string | undefined {
  switch (event.type) {
    case "message":
      return event.channel === "text" ? titled(event, event.role, event.text) : undefined;
    case "tool_call":
      return titled(event, `tool ${event.name}`, JSON.stringify(event.input, undefined, 2));
    case "tool_result":
      return titled(event, event.isError ? "failed result" : "result", event.diff ?? event.output);
    case "completion": {
      const { status, error } = event.outcome;
      return titled(event, `turn ${status}`, error?.message ?? "");
    }
    case "error":
      return titled(event, "error", event.message);
    case "system":
      return event.subtype === "plan" ? titled(event, "plan", planText(event)) : undefined;
    case "delta":
    case "request":
    case "response":
      return undefined;
  }
}

function planText({ text, data }: Extract<StreamEvent, { type: "system" }>): string {
  return text ?? JSON.stringify(data ?? {}, undefined, 2);
}

function titled({ seq, at }: StreamEvent, title: string, text = ""): string {
  const shown =
    text.length > ENTRY
      ? `${text.slice(0, ENTRY)}\n[${text.length - ENTRY} characters omitted]`
      : text;
  return `## ${seq} ${at} ${title}\n\n${shown}`.trimEnd();
}

/** The maximum length of an entry, in characters. */
const ENTRY = 20_000;

/** The maximum length of a transcript, in characters. The oldest entries are omitted. */
const LONGEST = 4_000_000;
