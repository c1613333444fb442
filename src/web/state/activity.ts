import type { StreamEvent } from "../../schema/event.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { cleanText, firstLine } from "../text/clean.ts";
import { formatTime } from "../text/format.ts";
import { plainText } from "../text/inline.ts";
import { describeTool } from "../text/tool-summary.ts";

/** A session's current activity, or the result of its last turn, in one line. */
export interface SessionActivity {
  readonly text: string;
  /** True if the text describes an error. */
  readonly isError: boolean;
  /** The id of the message whose last line is the text. Set while the runtime writes the message. */
  readonly messageId?: string;
  /** When the activity started. Set while the model thinks. */
  readonly since?: string;
}

/** Returns the activity after an event, or undefined if the event does not change it. */
export function activityAfter(
  event: StreamEvent,
  before: SessionActivity | undefined,
): SessionActivity | undefined {
  switch (event.type) {
    case "delta":
      return event.channel === "reasoning" ? thinking(event, before) : writing(event, before);
    case "message":
      return event.role === "assistant" && event.channel === "text"
        ? active(spokenLine(lastLine(event.text)))
        : undefined;
    case "tool_call":
      return active(describeTool(event));
    case "request":
      return event.verdict === "ask" ? active(requestLine(event)) : undefined;
    case "completion": {
      const { status, text, error } = event.outcome;
      if (status === "failed") return failed(error?.message ?? "The turn failed.");
      if (status === "cancelled") return active("Interrupted");
      return active(spokenLine(firstLine(cleanText(text))));
    }
    case "error":
      return failed(event.message);
    case "system":
      if (event.subtype === "turn_started") return active("Starting");
      if (event.subtype === "compaction") return active("Compacting its context");
      if (event.subtype === "retry") return active("Retrying");
      if (event.subtype === "turn_waiting" && event.data?.reason === "limit")
        return active(waitingLine(event.data.until));
      if (event.subtype === "turn_continued") return active("Continuing");
      return undefined;
    case "tool_result":
    case "response":
      return undefined;
  }
}

/** Returns the activity that can be derived from a session's state, without its events. */
export function activityOf(info: SessionInfo): SessionActivity {
  const [request] = info.openRequests;
  if (request) return active(requestLine(request));
  if (info.waiting?.reason === "limit") return active(waitingLine(info.waiting.until));
  if (info.error) return failed(info.error.message);
  if (info.state === "failed" || info.state === "lost") return failed(info.reason ?? info.state);
  return active(info.about ?? "");
}

/** Describes the wait for a usage limit: `Waiting for its usage limit until 15:04`. */
function waitingLine(until: unknown): string {
  const time = typeof until === "string" ? ` until ${formatTime(until)}` : "";
  return `Waiting for its usage limit${time}`;
}

/** Describes a request in one line: `Wants to run npm publish`. */
export function requestLine(request: {
  kind: string;
  text: string;
  tool?: Parameters<typeof describeTool>[0] | undefined;
}): string {
  if (request.kind === "question" || !request.tool) return firstLine(cleanText(request.text));
  const { kind } = request.tool;
  const said = describeTool(request.tool);
  if (kind === "execute") return said.replace(/^Running/, "Wants to run");
  if (kind === "edit") return said.replace(/^Editing/, "Wants to edit");
  return `Wants to use ${request.tool.name}`;
}

function thinking({ at }: StreamEvent, before: SessionActivity | undefined): SessionActivity {
  return before?.since === undefined ? { ...active("Thinking"), since: at } : before;
}

function writing(
  { messageId, text }: { messageId: string; text: string },
  before: SessionActivity | undefined,
): SessionActivity {
  const start = before?.messageId === messageId ? before.text : "";
  return { ...active(lastLine(start + text).slice(-160)), messageId };
}

/** Returns a Markdown line as text, without the marks of headings, lists and emphasis. */
function spokenLine(line: string): string {
  return plainText(line.replace(/^\s*(#{1,6}|[-*+]|>|\d+[.)])\s+/, ""));
}

function lastLine(text: string): string {
  return /[^\n]*\s*$/.exec(cleanText(text).trimStart())?.[0] ?? "";
}

function active(text: string): SessionActivity {
  return { text, isError: false };
}

function failed(text: string): SessionActivity {
  return { text: firstLine(cleanText(text)), isError: true };
}
