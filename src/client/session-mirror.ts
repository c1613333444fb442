import { project } from "../log/projection.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { HttpConnection } from "./connection.ts";

/** Events that change the state of a session. */
const stateEventTypes: readonly StreamEvent["type"][] = [
  "system",
  "request",
  "response",
  "completion",
];

export interface MirrorOptions {
  readonly info: SessionInfo;
  /** Called with each event that changes the state, after the state is updated. */
  readonly onEvent: (event: StreamEvent) => void;
  /** Called when no more events follow, with the error if the stream failed. */
  readonly onEnd: (error?: unknown) => void;
}

/** A copy of a session's state. After `watch`, the copy follows the session's events until the stream ends or `close`. */
export class SessionMirror {
  readonly #connection: HttpConnection;
  readonly #options: MirrorOptions;
  readonly #closing = new AbortController();
  #info: SessionInfo;
  /** `#fed` is the `seq` of the last applied event. `#seen` is the `seq` of the last event that any reader received. */
  #fed: number;
  #seen: number;
  #feed: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(connection: HttpConnection, options: MirrorOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#info = options.info;
    this.#fed = options.info.lastSeq;
    this.#seen = options.info.lastSeq;
  }

  get info(): SessionInfo {
    const { lastSeq } = this.#info;
    return lastSeq < this.#seen ? { ...this.#info, lastSeq: this.#seen } : this.#info;
  }

  /** Aborted when the mirror is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Starts following the events. Has no effect if the mirror already follows them or is closed. */
  watch(): void {
    if (this.#closing.signal.aborted) return;
    this.#feed ??= this.#read().finally(() => {
      this.#feed = undefined;
      this.#notify();
    });
  }

  /** Replaces the state with the state that the server returned, unless the returned state is older. */
  adopt(info: SessionInfo): void {
    if (info.lastSeq < this.#info.lastSeq) return;
    this.#info = info;
    this.#seen = Math.max(this.#seen, info.lastSeq);
    this.#notify();
  }

  /**
   * True if an event that another reader received changes the state and is not applied yet. Call `reach` before using
   * the state.
   */
  isBehind({ type, seq }: StreamEvent): boolean {
    if (seq > this.#seen) this.#seen = seq;
    return seq > this.#fed && stateEventTypes.includes(type);
  }

  /** Resolves when the event with this `seq` or a later event is applied, or when no more events follow. */
  reach(seq: number): Promise<void> {
    return this.until(() => this.#fed >= seq);
  }

  /** Resolves when the condition is true or no more events follow. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && this.#feed !== undefined) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #read(): Promise<void> {
    const { signal } = this.#closing;
    const path = `/v1/sessions/${this.#info.id}/events`;
    const query = { types: stateEventTypes.join(",") };
    try {
      const stream = this.#connection.follow(path, { query, after: this.#fed, signal });
      for await (const messages of stream) {
        for (const { data } of messages) this.#take(JSON.parse(data) as StreamEvent);
        this.#notify();
      }
      this.#options.onEnd();
    } catch (error) {
      this.#options.onEnd(error);
    }
  }

  #take(event: StreamEvent): void {
    const { seq, at, turnId, sessionId, runtime, raw, ...body } = event;
    if (seq > this.#info.lastSeq) {
      this.#info = project({ ...this.#info, lastSeq: seq - 1 }, [body], { at, turnId });
    }
    this.#fed = seq;
    this.#seen = Math.max(this.#seen, seq);
    this.#options.onEvent(event);
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}
