import type { StreamEvent } from "../schema/event.ts";
import { oneByOne } from "../wire/one-by-one.ts";
import type { FollowOptions } from "./halyard.ts";
import { requireWhole } from "./parse-input.ts";

/** A log that can be read by cursor, and tells when to look again. */
export interface FollowSource {
  /** Called when a reader comes, with what may make it leave; returns what it calls when it leaves. */
  open(signal: AbortSignal | undefined): () => void;
  readonly version: number;
  /** Resolves once something may have changed since that version, or a reader's signal was given. */
  changed(version: number): Promise<void>;
  read(after: number, limit: number): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** Nothing more will be written to what was read up to now. */
  isOver(): boolean | Promise<boolean>;
}

/** The most that is read at once. Pages begin at its multiples, so that those who read far apart read the same ones. */
const PAGE = 500;

/** A reader is a cursor: however slow, it costs nothing and misses nothing. */
export function follow(source: FollowSource, options: FollowOptions): AsyncGenerator<StreamEvent> {
  return oneByOne(followBatches(source, options), options.signal);
}

/** The same in batches of all that is there. */
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
      isOver = await source.isOver(); // and what was written before the end is read after it
      if (!isOver) await source.changed(version);
    }
  } finally {
    leave();
  }
}
