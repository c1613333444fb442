import { project } from "../core/projection.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Connection } from "./connection.ts";

/** What a session's state follows from. */
const telling: readonly StreamEvent["type"][] = ["system", "request", "response", "completion"];

export interface MirrorOptions {
  readonly info: SessionInfo;
  /** Hears of each event that tells of the session's state, once the state is up to date. */
  readonly onEvent: (event: StreamEvent) => void;
  /** Hears that nothing more will come, and why if it should have. */
  readonly onEnd: (error?: unknown) => void;
}

/** A session's state as its events tell it, kept up to date for as long as somebody needs it. */
export class SessionMirror {
  readonly #connection: Connection;
  readonly #options: MirrorOptions;
  readonly #leave = new AbortController();
  #info: SessionInfo;
  /** The last event that was fed, and the last that was seen at all. */
  #fed: number;
  #seen: number;
  #feed: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(connection: Connection, options: MirrorOptions) {
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

  /** Aborted once nobody needs it any more. */
  get signal(): AbortSignal {
    return this.#leave.signal;
  }

  /** Reads on, if it does not already. */
  watch(): void {
    if (this.#leave.signal.aborted) return;
    this.#feed ??= this.#read().finally(() => {
      this.#feed = undefined;
      this.#notify();
    });
  }

  /** Takes the session as the server has just told it. */
  adopt(info: SessionInfo): void {
    if (info.lastSeq < this.#info.lastSeq) return;
    this.#info = info;
    this.#seen = Math.max(this.#seen, info.lastSeq);
    this.#notify();
  }

  /** Whether an event that was read elsewhere tells of more than the state does: then `reach` it first. */
  isBehind({ type, seq }: StreamEvent): boolean {
    if (seq > this.#seen) this.#seen = seq;
    return seq > this.#fed && telling.includes(type);
  }

  /** Resolves once that event is part of the state, or nothing more will come. */
  reach(seq: number): Promise<void> {
    return this.until(() => this.#fed >= seq);
  }

  /** Resolves once it is so, or nothing more will come. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo() && this.#feed !== undefined) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  close(): void {
    this.#leave.abort();
  }

  async #read(): Promise<void> {
    const { signal } = this.#leave;
    const path = `/v1/sessions/${this.#info.id}/events`;
    const query = { types: telling.join(",") };
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
