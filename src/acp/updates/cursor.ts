import { HalyardError } from "../../errors/error.ts";

/**
 * The position of an update in the log: the event from which it was mapped, and its index among the event's updates.
 */
export interface Cursor {
  readonly seq: number;
  readonly index: number;
}

/** Formats a cursor as an opaque string, which a client sends back to continue after an update. */
export function formatCursor({ seq, index }: Cursor): string {
  return Number.isFinite(index) ? `${seq}.${index}` : `${seq}`;
}

/** Returns the cursor after all updates of an event. */
export function cursorAfter(seq: number): Cursor {
  return { seq, index: Number.POSITIVE_INFINITY };
}

/** Parses a cursor from a client. Throws `invalid_input` if it is malformed or after the end of the log. */
export function parseCursor(text: string, lastSeq: number): Cursor {
  const [, seq, index] = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  const cursor = { seq: Number(seq), index: index === undefined ? Infinity : Number(index) };
  if (seq !== undefined && cursor.seq <= lastSeq) return cursor;
  throw new HalyardError(
    "invalid_input",
    `The value "${text}" of _meta.halyard.after is not a cursor of this session. Pass the last cursor that the session sent, or load the session without a cursor.`,
  );
}

/** True if an update is at or before the cursor. */
export function isCovered(update: Cursor, by: Cursor): boolean {
  return update.seq < by.seq || (update.seq === by.seq && update.index <= by.index);
}
