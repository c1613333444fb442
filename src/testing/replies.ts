import type { StreamEvent } from "../schema/event.ts";

/** True for a complete message from the assistant, on either channel. */
export function isReply(event: StreamEvent): boolean {
  return event.type === "message" && event.role === "assistant";
}

/** Returns the texts of the assistant's messages in log order. */
export function repliesIn(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "message" && event.role === "assistant" ? [event.text] : [],
  );
}
