import type { FollowOptions } from "../contracts/read-log.ts";
import { requireWhole } from "../errors/parse-input.ts";
import type { StreamEvent } from "../schema/event.ts";
import { oneByOne } from "../wire/one-by-one.ts";

/** A log that can be read from any position, and signals changes. */
export interface FollowSource {
  /** Registers a reader. Aborting `signal` ends its wait. Returns a function that unregisters the reader. */
  open(signal: AbortSignal | undefined): () => void;
  readonly version: number;
  /** Resolves when the log may have changed since that version, or when a reader's signal is aborted. */
  changed(version: number): Promise<void>;
  read(after: number, limit: number): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** True if no more events will be appended. */
  isOver(): boolean | Promise<boolean>;
}

/**
 * The maximum number of events per read. Pages start at multiples of this number, so that readers share cached pages.
 */
const PAGE = 500;

/**
 * Yields the events of a log until the log is over or `signal` is aborted. If `follow` is false, ends after the last
 * existing event. A reader holds only a cursor, so a slow reader accumulates no events in memory and misses none.
 */
export function follow(source: FollowSource, options: FollowOptions): AsyncGenerator<StreamEvent> {
  return oneByOne(followBatches(source, options), options.signal);
}

/** Yields the events of a log in batches. Each batch contains all available events, up to the end of the page. */
export async function* followBatches(
  source: FollowSource,
  { after = 0, follow: waits = true, signal }: FollowOptions,
): AsyncGenerator<readonly StreamEvent[]> {
  requireWhole("after", after);
  const leave = source.open(signal);
  let cursor = after;
  let isOver = false;
  try {
    while (!signal?.aborted) {
      const version = source.version;
      const events = await source.read(cursor, PAGE - (cursor % PAGE));
      const last = events.at(-1);
      if (last) {
        cursor = last.seq;
        yield events;
        continue;
      }
      if (isOver || !waits) return;
      // If the log is over, the loop reads once more, because events may have been appended since the last read.
      isOver = await source.isOver();
      if (!isOver) await source.changed(version);
    }
  } finally {
    leave();
  }
}
