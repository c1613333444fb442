import type { StreamEvent } from "../schema/event.ts";

/** How many events readers of a live session may lag behind before they read from the store again. */
const LENGTH = 512;

/** A piece this long is worth being given as it is, however much has come since. */
const LONG = 64;

/**
 * The newest events of a log, without a gap. Readers at the same place are given the same list, so that what one of
 * them makes of it can serve the others.
 */
export class EventTail {
  #events: StreamEvent[] = [];
  #pieces = new Map<number, readonly StreamEvent[]>();

  /** Adds what comes right after, or begins anew. */
  push(events: readonly StreamEvent[]): void {
    const last = this.#events.at(-1);
    if (last !== undefined && last.seq + 1 !== events[0]?.seq) this.clear();
    for (const event of events) this.#events.push(event);
    if (this.#events.length <= LENGTH * 2) return;
    this.#events = this.#events.slice(-LENGTH);
    this.#pieces.clear();
  }

  clear(): void {
    this.#events = [];
    this.#pieces.clear();
  }

  /** Some of what comes after that place, from the next event on; nothing where it is not here. */
  read(after: number, limit: number): readonly StreamEvent[] | undefined {
    const start = this.#events[0];
    if (start === undefined || start.seq > after + 1) return undefined;
    const known = this.#pieces.get(after);
    if (known && known.length >= Math.min(LONG, limit)) return known;
    const index = after + 1 - start.seq;
    const there = Math.min(limit, this.#events.length - index);
    if (known && known.length === there) return known;
    const piece = this.#events.slice(index, index + there);
    this.#pieces.set(after, piece);
    return piece;
  }
}
