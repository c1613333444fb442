import type { StreamEvent } from "../../schema/event.ts";
import type { Api } from "../api/api.ts";

export interface LiveOptions {
  /** Called with all events since the last call, at most once per frame. */
  readonly onEvents: (events: readonly StreamEvent[]) => void;
  /** Called when the position is known and before the first events. Loads the state that the events change. */
  readonly onOpen: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Follows the events of all sessions with one stream. The position is read before the state, so that no event is missing
 * between the two; an event that the state already contains is recognized by its `seq`.
 */
export async function followLive(
  api: Api,
  { onEvents, onOpen, signal }: LiveOptions,
): Promise<void> {
  const position = await api.position();
  const frames = new Frames(onEvents);
  const opening = onOpen().then(() => frames.open());
  for await (const batch of api.follow(position, signal)) {
    frames.add(batch.map(({ event }) => event));
  }
  await opening;
}

/** Collects events and passes them on once per frame, so that a fast stream does not render for each event. */
class Frames {
  readonly #onEvents: (events: readonly StreamEvent[]) => void;
  #events: StreamEvent[] = [];
  #isOpen = false;
  #isScheduled = false;

  constructor(onEvents: (events: readonly StreamEvent[]) => void) {
    this.#onEvents = onEvents;
  }

  /** Starts to pass events on. */
  open(): void {
    this.#isOpen = true;
    this.#schedule();
  }

  add(events: readonly StreamEvent[]): void {
    for (const event of events) this.#events.push(event);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#isOpen) return;
    this.#isScheduled = true;
    const flush = () => {
      this.#isScheduled = false;
      const events = this.#events;
      this.#events = [];
      if (events.length > 0) this.#onEvents(events);
    };
    // A hidden page gets no frames, but its title shows the number of requests.
    if (document.hidden) setTimeout(flush, HIDDEN_MS);
    else requestAnimationFrame(flush);
  }
}

const HIDDEN_MS = 250;
