import { readHeader } from "./log-message.ts";
import type { LogStream } from "./log-stream.ts";
import type { LogMessage } from "./messages.ts";

/**
 * Returns the stream sequence at which to start reading for the events after `after`, or undefined if there are none.
 * Uses a binary search: events have consecutive numbers, and a server finds the next message of a subject quickly.
 */
export async function locateEvents(
  stream: LogStream,
  subject: string,
  after: number,
): Promise<number | undefined> {
  const end = await stream.last(subject);
  if (end === null || readHeader(end.header).lastSeq <= after) return undefined;
  if (after === 0) return 1;
  let low = 1;
  let high = end.seq;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await stream.next(subject, middle);
    if (found === null) break; // the session was removed in the meantime
    const { firstSeq, lastSeq } = readHeader(found.header);
    if (lastSeq <= after) low = found.seq + 1;
    else if (firstSeq <= after + 1) return found.seq;
    else high = middle;
  }
  return low;
}

/** Caches the positions at which recent reads ended, so that a follower continues without a search. */
export class ReadPositions {
  readonly #positions = new Map<string, number>();

  /** Returns the stream sequence after the message whose last event is `after`, if it is cached. */
  get(subject: string, after: number): number | undefined {
    return this.#positions.get(`${subject} ${after}`);
  }

  /** Caches the position after a message, by the last event of the message. */
  add(message: Pick<LogMessage, "subject" | "seq">, lastSeq: number): void {
    const key = `${message.subject} ${lastSeq}`;
    this.#positions.delete(key);
    this.#positions.set(key, message.seq + 1);
    const [oldest] = this.#positions.keys();
    if (this.#positions.size > MAX_POSITIONS && oldest !== undefined)
      this.#positions.delete(oldest);
  }
}

const MAX_POSITIONS = 10_000;
