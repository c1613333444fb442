import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import { type Append, type AppendOptions, Appends } from "./appends.ts";
import type { Listener } from "./audience.ts";
import type { HalyardError } from "./error.ts";
import { EventTail } from "./event-tail.ts";
import { type FollowSource, follow, followBatches } from "./follow.ts";
import type { FollowOptions } from "./halyard.ts";
import type { Machine } from "./machine.ts";
import { SharedPages } from "./shared-pages.ts";
import type { StoredEvent, Writer } from "./store.ts";
import { Wake } from "./wake.ts";

/** For the end of a runtime: the next one's output begins anew, and none of it is in the log. */
export const noOutput: AppendOptions = { cursor: 0, turnCursor: 0 };

export interface EventLogOptions {
  /** Hears that the store cannot be written for now; without it nothing waits for that. */
  readonly onHeldUp?: ((reason: HalyardError) => void) | undefined;
}

/** The log of a session that this process writes. What a reader is given is on disk. */
export class EventLog implements FollowSource {
  readonly #writer: Writer;
  readonly #appends: Appends;
  readonly #wake = new Wake();
  /** Where the output of the last turn on disk begins. */
  #turnCursor = 0;
  /** Not by the state it was found in, which is that of a session that has ended or was let go of. */
  #isOver = false;
  #readers = 0;
  /** Of what is durable, while there are readers. */
  readonly #tail = new EventTail();
  readonly #pages: SharedPages;
  readonly #listener: Listener | undefined;

  constructor(
    { store, clock, audience }: Pick<Machine, "store" | "clock" | "audience">,
    writer: Writer,
    info: SessionInfo,
    { onHeldUp }: EventLogOptions = {},
  ) {
    this.#listener = audience?.attend(info);
    this.#pages = new SharedPages((after, limit) => store.read(info.id, { after, limit }));
    this.#writer = writer;
    const onWritten = (append: Append) => this.#onWritten(append);
    this.#appends = new Appends(writer, info, { clock, onWritten, onHeldUp });
  }

  /** The session as it is after all that was appended. */
  get info(): SessionInfo {
    return this.#appends.info;
  }

  /** In order of the calls; resolves once the events are durable. */
  append(events: readonly StoredEvent[], options: AppendOptions = {}): Promise<void> {
    return this.#appends.add(events, options);
  }

  /** From where on the runtime's output may have to be read again by whoever comes after us. */
  get turnCursor(): number {
    return this.#turnCursor;
  }

  /** What has happened waits for a store that is full or locked. */
  get isHeldUp(): boolean {
    return this.#appends.isHeldUp;
  }

  /** Waits for it, but not for the store: rejects with the reason where that is full or locked. */
  unlessHeldUp<T>(promise: Promise<T>): Promise<T> {
    const heldUp = this.#appends.whenHeldUp.then((reason) => Promise.reject(reason));
    return Promise.race([promise, heldUp]);
  }

  /** Nothing waits for the store any longer. */
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
    const { turnId, turnCursor = this.#turnCursor } = options;
    this.#turnCursor = turnCursor;
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
      if (this.#wake.waiting === this.#readers) this.#tail.clear(); // they have all that was there
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
