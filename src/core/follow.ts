import type { StreamEvent } from "../schema/event.ts";
import type { FollowOptions } from "./halyard.ts";

/** A log that can be read by cursor, and tells when to look again. */
export interface FollowSource {
  /** Called when a reader comes; returns what it calls when it leaves. */
  open(): () => void;
  readonly version: number;
  /** Resolves once something may have changed since that version. */
  changed(version: number, signal?: AbortSignal): Promise<void>;
  read(after: number, limit: number): StreamEvent[] | Promise<StreamEvent[]>;
  /** Nothing more will be written to what was read up to now. */
  isOver(): boolean | Promise<boolean>;
}

const PAGE = 1000;

/** A reader is a cursor: however slow, it costs nothing and misses nothing. */
export async function* follow(
  source: FollowSource,
  { after = 0, follow: waits = true, signal }: FollowOptions,
): AsyncGenerator<StreamEvent> {
  const leave = source.open();
  let cursor = after;
  try {
    while (!signal?.aborted) {
      const version = source.version;
      const over = await source.isOver();
      const events = await source.read(cursor, PAGE);
      for (const event of events) {
        if (signal?.aborted) return;
        cursor = event.seq;
        yield event;
      }
      if (events.length > 0) continue;
      if (over || !waits) return;
      await source.changed(version, signal);
    }
  } finally {
    leave();
  }
}
