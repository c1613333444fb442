import type { EventBody } from "../../schema/event.ts";
import { isRecord } from "../../wire/is-record.ts";

/**
 * Returns the searchable text of an event: a message, a question, or a tool's input or output. Truncates long texts, so
 * that a single output does not fill the index. Returns undefined for other events.
 */
export function searchableText(event: EventBody): string | undefined {
  switch (event.type) {
    case "message":
      return bound(event.text, MAX_MESSAGE);
    case "tool_call":
      return bound([event.name, ...textsIn(event.input)].join("\n"), MAX_TOOL);
    case "tool_result":
      return bound(`${event.output}\n${event.diff ?? ""}`, MAX_TOOL);
    case "request":
      // The tool input is not included, because the `tool_call` event contains it.
      return event.kind === "question" ? bound(event.text, MAX_MESSAGE) : undefined;
    case "system":
    case "delta":
    case "response":
    case "completion":
    case "error":
      return undefined;
  }
}

/** The types of events with searchable text, as they appear in JSON. */
export const searchableTypes = [
  '"type":"message"',
  '"type":"tool_call"',
  '"type":"tool_result"',
  '"type":"request"',
] as const;

const MAX_MESSAGE = 64 * 1024;
const MAX_TOOL = 8 * 1024;

/** Truncates a text in the middle. Keeps the end, because an output often ends with the error. */
function bound(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = length / 4;
  return `${text.slice(0, length - end)} … ${text.slice(-end)}`;
}

/** Returns the strings in a JSON value, up to the maximum searchable length. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const waiting: unknown[] = [value];
  let length = 0;
  for (let next = waiting.shift(); length < MAX_TOOL; next = waiting.shift()) {
    if (typeof next === "string") {
      texts.push(next);
      length += next.length;
    } else if (Array.isArray(next)) waiting.unshift(...next.slice(0, MAX_ITEMS));
    else if (isRecord(next)) waiting.unshift(...Object.values(next).slice(0, MAX_ITEMS));
    if (waiting.length === 0) break;
  }
  return texts;
}

/** The maximum number of values of one list or object that are searched. */
const MAX_ITEMS = 1000;
