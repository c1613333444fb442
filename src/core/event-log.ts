import type { StreamEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Clock } from "./clock.ts";
import { type FollowSource, follow } from "./follow.ts";
import type { FollowOptions } from "./halyard.ts";
import { hasEnded, project } from "./projection.ts";
import type { Store, StoredEvent, Writer } from "./store.ts";
import { Wake } from "./wake.ts";

/** How many events readers of a live session may lag behind before they read from the store again. */
const TAIL_LENGTH = 4096;

export interface AppendOptions {
  readonly turnId?: TurnId | undefined;
  readonly cursor?: number | undefined;
  readonly turnCursor?: number | undefined;
}

/** The log of a session that this process writes. What a reader is given is on disk. */
export class EventLog implements FollowSource {
  readonly #store: Store;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #wake = new Wake();
  #info: SessionInfo;
  #durable: SessionInfo;
  #readers = 0;
  /** The newest durable events, without a gap, while there are readers. */
  #tail: StreamEvent[] = [];

  constructor(store: Store, writer: Writer, info: SessionInfo, clock: Clock) {
    this.#store = store;
    this.#writer = writer;
    this.#clock = clock;
    this.#info = info;
    this.#durable = info;
  }

  /** The session as it is after all that was appended. */
  get info(): SessionInfo {
    return this.#info;
  }

  /** In order of the calls; resolves once the events are durable. */
  async append(events: readonly StoredEvent[], options: AppendOptions = {}): Promise<void> {
    const { turnId, cursor, turnCursor } = options;
    const at = this.#clock.now().toISOString();
    const firstSeq = this.#info.lastSeq + 1;
    const info = project(this.#info, events, { at, turnId });
    this.#info = info;
    await this.#writer.append({
      firstSeq,
      at,
      events,
      info,
      ...(turnId !== undefined && { turnId }),
      ...(cursor !== undefined && { cursor }),
      ...(turnCursor !== undefined && { turnCursor }),
    });
    this.#durable = info;
    if (this.#readers > 0) this.#extendTail(events, firstSeq, at, turnId);
    this.#wake.notify();
  }

  release(): Promise<void> {
    return this.#writer.release();
  }

  follow(options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    return follow(this, options);
  }

  open(): () => void {
    this.#readers++;
    return () => {
      this.#readers--;
      if (this.#readers === 0) this.#tail = [];
    };
  }

  get version(): number {
    return this.#wake.version;
  }

  changed(version: number, signal?: AbortSignal): Promise<void> {
    return this.#wake.after(version, signal);
  }

  isOver(): boolean {
    return hasEnded(this.#durable) || this.#durable.state === "detached";
  }

  read(after: number, limit: number): StreamEvent[] | Promise<StreamEvent[]> {
    if (after >= this.#durable.lastSeq) return [];
    const start = this.#tail[0];
    if (start === undefined || start.seq > after + 1) {
      return this.#store.read(this.#info.id, { after, limit });
    }
    const index = after + 1 - start.seq;
    return this.#tail.slice(index, index + limit);
  }

  #extendTail(
    events: readonly StoredEvent[],
    firstSeq: number,
    at: string,
    turnId: TurnId | undefined,
  ): void {
    const { id: sessionId, runtime } = this.#info;
    const last = this.#tail.at(-1);
    if (last !== undefined && last.seq !== firstSeq - 1) this.#tail = [];
    let seq = firstSeq;
    for (const event of events) {
      const envelope =
        turnId === undefined ? { sessionId, runtime } : { sessionId, turnId, runtime };
      this.#tail.push({ seq, at, ...envelope, ...event });
      seq++;
    }
    if (this.#tail.length > TAIL_LENGTH * 2) this.#tail = this.#tail.slice(-TAIL_LENGTH);
  }
}
