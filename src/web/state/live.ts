import type { StreamEvent } from "../../schema/event.ts";
import type { Api } from "../api/api.ts";

/** The callbacks of {@link followLive}, and the signal that ends it. */
export interface LiveOptions {
  /** Called with the next events in order, at most once per frame and with at most 2,000 events. */
  readonly onEvents: (events: readonly StreamEvent[]) => void;
  /** Called when the position is known, before the first events. Loads the state that the events change. */
  readonly onOpen: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Follows all sessions' events with one stream. The position is read before the state, so that no event is missed
 * between the two. Events that the state already contains are recognized by their `seq`. Closes the stream and rejects
 * if the state cannot be loaded.
 */
export async function followLive(
  api: Api,
  { onEvents, onOpen, signal }: LiveOptions,
): Promise<void> {
  const position = await api.position();
  const frames = new Frames(onEvents);
  const ending = new AbortController();
  const end = () => ending.abort();
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  const opening = onOpen().then(() => frames.open());
  opening.catch(end); // ends the stream, so that the caller receives the error below
  try {
    for await (const batch of api.follow(position, ending.signal)) {
      frames.add(batch.map(({ event }) => event));
    }
    await opening;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/**
 * Collects events and delivers them once per frame, so that the page does not render for each event in a fast stream.
 */
export class Frames {
  readonly #onEvents: (events: readonly StreamEvent[]) => void;
  readonly #events: StreamEvent[] = [];
  #isOpen = false;
  #isScheduled = false;

  constructor(onEvents: (events: readonly StreamEvent[]) => void) {
    this.#onEvents = onEvents;
  }

  /** Starts delivering events. */
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
      const events = this.#events.splice(0, MOST_EVENTS);
      if (events.length > 0) this.#onEvents(events);
      if (this.#events.length > 0) this.#schedule();
    };
    // A hidden page receives no animation frames, but its title must still show the number of requests.
    if (document.hidden) setTimeout(flush, HIDDEN_MS);
    else requestAnimationFrame(flush);
  }
}

const HIDDEN_MS = 250;

/** The maximum number of events per frame, so that a burst does not block the page. */
const MOST_EVENTS = 2000;
