import { Wake } from "../async/wake.ts";
import type { Listener } from "../contracts/audience.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { StoredEvent, Writer } from "../contracts/store.ts";
import type { HalyardError } from "../errors/error.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import { type Append, type AppendOptions, Appends } from "./appends.ts";
import { EventTail } from "./event-tail.ts";
import { type FollowSource, follow, followBatches } from "./follow.ts";
import { SharedPages } from "./shared-pages.ts";

/** The cursors to record after a runtime has ended, because the next runtime's output starts at byte 0. */
export const noOutput: AppendOptions = { cursor: 0, turnCursor: 0 };

/** Options of an `EventLog`. */
export interface EventLogOptions {
  /** Called when the store temporarily cannot be written. If omitted, no append waits for the store. */
  readonly onBlocked?: ((reason: HalyardError) => void) | undefined;
}

/** The log of a session that this process owns. Readers receive durable events only. */
export class EventLog implements FollowSource {
  readonly #writer: Writer;
  readonly #appends: Appends;
  readonly #wake = new Wake();
  /** The byte offset at which the output of the last recorded turn begins. */
  #turnCursor = 0;
  #cursor = 0;
  /**
   * True if the log has ended in this process. Not derived from the initial state, because an ended session may be
   * resumed.
   */
  #isOver = false;
  #readers = 0;
  /** The newest durable events. Filled only while there are readers. */
  readonly #tail = new EventTail();
  readonly #pages: SharedPages;
  readonly #listener: Listener | undefined;

  constructor(
    { store, clock, audience }: Pick<HalyardParts, "store" | "clock" | "audience">,
    writer: Writer,
    info: SessionInfo,
    { onBlocked }: EventLogOptions = {},
  ) {
    this.#listener = audience?.attend(info);
    this.#pages = new SharedPages((after, limit) => store.read(info.id, { after, limit }));
    this.#writer = writer;
    const onWritten = (append: Append) => this.#onWritten(append);
    this.#appends = new Appends(writer, info, { clock, onWritten, onBlocked });
  }

  /** The session's state after all appended events. */
  get info(): SessionInfo {
    return this.#appends.info;
  }

  /** Appends events in the order of the calls. Resolves when they are durable. */
  append(events: readonly StoredEvent[], options: AppendOptions = {}): Promise<void> {
    return this.#appends.add(events, options);
  }

  /** The byte offset from which the next owner may have to read the runtime's output again. */
  get turnCursor(): number {
    return this.#turnCursor;
  }

  /** The byte offset up to which the runtime's output is in the log. 0 until this process has appended output. */
  get cursor(): number {
    return this.#cursor;
  }

  /** True while appends wait for a store that temporarily cannot be written. */
  get isBlocked(): boolean {
    return this.#appends.isBlocked;
  }

  /** Settles like `promise`, but rejects with the reason as soon as the store temporarily cannot be written. */
  unlessBlocked<T>(promise: Promise<T>): Promise<T> {
    const blocked = this.#appends.whenBlocked.then((reason) => Promise.reject(reason));
    return Promise.race([promise, blocked]);
  }

  /** Stops waiting for the store: waiting appends are retried at most once, and later appends are not retried. */
  giveUp(): void {
    this.#appends.giveUp();
  }

  release(): Promise<void> {
    return this.#writer.release();
  }

  follow(options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    return follow(this, options);
  }

  followBatches(options: FollowOptions = {}): AsyncGenerator<readonly StreamEvent[]> {
    return followBatches(this, options);
  }

  open(signal: AbortSignal | undefined): () => void {
    this.#readers++;
    const forget = this.#wake.notifyAt(signal);
    return () => {
      forget();
      this.#readers--;
      if (this.#readers > 0) return;
      this.#tail.clear();
      this.#pages.clear();
    };
  }

  get version(): number {
    return this.#wake.version;
  }

  changed(version: number): Promise<void> {
    return this.#wake.after(version);
  }

  isOver(): boolean {
    return this.#isOver;
  }

  read(after: number, limit: number): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    if (after >= this.#appends.durable.lastSeq) return [];
    return this.#tail.read(after, limit) ?? this.#pages.read(after, limit);
  }

  #onWritten({ events, firstSeq, at, info, options }: Append): void {
    const { turnId, turnCursor = this.#turnCursor, cursor = this.#cursor } = options;
    this.#turnCursor = turnCursor;
    this.#cursor = cursor;
    if (events.length === 0) return;
    if (events.some(isLast)) this.#isOver = true;
    if (this.#readers > 0 || this.#listener) {
      const { id: sessionId, runtime } = info;
      const envelope = { at, sessionId, ...(turnId !== undefined && { turnId }), runtime };
      const whole = events.map((event, index) => ({
        seq: firstSeq + index,
        ...envelope,
        ...event,
      }));
      // clear the tail when all readers have received its events
      if (this.#wake.waiting === this.#readers) this.#tail.clear();
      if (this.#readers > 0) this.#tail.push(whole);
      this.#listener?.(whole, info);
    }
    this.#wake.notify();
  }
}

function isLast(event: StoredEvent): boolean {
  if (event.type !== "system") return false;
  return event.subtype === "session_stopped" || event.subtype === "session_detached";
}
