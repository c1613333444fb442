import type { StreamEvent } from "../schema/event.ts";

/** True for a whole message of the assistant, of either channel. */
export function isReply(event: StreamEvent): boolean {
  return event.type === "message" && event.role === "assistant";
}

/** The texts of the assistant's messages, in the order of the log. */
export function repliesIn(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "message" && event.role === "assistant" ? [event.text] : [],
  );
}
