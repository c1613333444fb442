import { z } from "zod";
import type { EventWindow } from "../contracts/read-log.ts";
import type { StreamEvent } from "../schema/event.ts";

/** The maximum number of events in a window. Use `batches` to read more events. */
const MOST_EVENTS = 10_000;

/** The options of a window, with their defaults. */
export const WindowRange = z.strictObject({
  before: z.number().int().nonnegative().default(Number.MAX_SAFE_INTEGER),
  limit: z.number().int().positive().max(MOST_EVENTS).default(500),
});

/** Returns consecutive events as a window. Without events, `first` is 1 and `last` is 0. */
export function toWindow(events: readonly StreamEvent[]): EventWindow {
  return { events, first: events[0]?.seq ?? 1, last: events.at(-1)?.seq ?? 0 };
}
