import type { StreamEvent } from "../schema/event.ts";

/** The number of events that remain when the tail is trimmed, at twice this length. Readers of older events use the store. */
const LENGTH = 512;

/** The minimum length at which a cached slice is returned even if newer events have been added since. */
const LONG_SLICE = 64;

/**
 * The newest events of a log, without gaps. Readers at the same position receive the same array, so that work on it
 * (such as encoding) can be shared.
 */
export class EventTail {
  #events: StreamEvent[] = [];
  #slices = new Map<number, readonly StreamEvent[]>();

  /** Adds events. Discards the earlier events if the new events do not directly follow them. */
  push(events: readonly StreamEvent[]): void {
    const last = this.#events.at(-1);
    if (last !== undefined && last.seq + 1 !== events[0]?.seq) this.clear();
    for (const event of events) this.#events.push(event);
    if (this.#events.length <= LENGTH * 2) return;
    this.#events = this.#events.slice(-LENGTH);
    this.#slices.clear();
  }

  clear(): void {
    this.#events = [];
    this.#slices.clear();
  }

  /**
   * Returns events after `after`, at most `limit`. Returns undefined if the tail is empty or starts after the next event.
   */
  read(after: number, limit: number): readonly StreamEvent[] | undefined {
    const start = this.#events[0];
    if (start === undefined || start.seq > after + 1) return undefined;
    const known = this.#slices.get(after);
    if (known && known.length >= Math.min(LONG_SLICE, limit)) return known;
    const index = after + 1 - start.seq;
    const there = Math.min(limit, this.#events.length - index);
    if (known && known.length === there) return known;
    const piece = this.#events.slice(index, index + there);
    this.#slices.set(after, piece);
    return piece;
  }
}
