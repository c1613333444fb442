import { setTimeout as delay } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { anySignal } from "../../../async/any-signal.ts";
import { createDeferred } from "../../../async/deferred.ts";
import { backoffMs } from "../../../wire/backoff.ts";
import { isRecord } from "../../../wire/is-record.ts";
import type { Client } from "../server/client.ts";
import { isIgnored, parentOf, sessionOf, unwrapEvent } from "./envelope.ts";

/** Receives the events of one session and its subagents. */
export interface FeedListener {
  readonly sessionId: string;
  /** The directory as the server writes it. Events from other directories are ignored. */
  readonly directory: string;
  onEvent(event: unknown): void;
  /** Called after a reconnect. Events since the disconnect may be missing. */
  onReconnect(): void;
}

/** Reads a server's event stream and routes the events to their sessions. Reconnects until it is closed. */
export class EventFeed {
  readonly #client: Client;
  readonly #listeners = new Map<string, FeedListener>();
  /** The root session of each subagent's session. */
  readonly #roots = new Map<string, string>();
  readonly #closed = new AbortController();
  readonly #connected = createDeferred<void>();
  #isConnected = false;
  #failures = 0;

  constructor(client: Client) {
    this.#client = client;
    void this.#run();
  }

  /** Resolves when the stream is connected or the feed is closed. Events before that may be missing. */
  get connected(): Promise<void> {
    return this.#connected.promise;
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: FeedListener): () => void {
    const { sessionId } = listener;
    this.#listeners.set(sessionId, listener);
    return () => {
      if (this.#listeners.get(sessionId) === listener) this.#listeners.delete(sessionId);
      for (const [child, root] of this.#roots) if (root === sessionId) this.#roots.delete(child);
    };
  }

  close(): void {
    this.#closed.abort();
    this.#connected.resolve();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#read().catch(() => {}); // an error ends this attempt, and the loop reconnects
      const pauseMs = backoffMs(this.#failures++, { baseMs: 20, maxMs: 1000 });
      await delay(pauseMs, undefined, { signal }).catch(() => {}); // rejects only if the feed is closed
    }
  }

  /** Reads one connection until it breaks or no heartbeat arrives. */
  async #read(): Promise<void> {
    const silence = new AbortController();
    const watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
    const signal = anySignal([this.#closed.signal, silence.signal]);
    const parser = createParser({ onEvent: ({ data }) => this.#receive(data) });
    const decoder = new TextDecoder();
    try {
      for await (const bytes of await this.#client.stream("/global/event", signal)) {
        watchdog.refresh();
        parser.feed(decoder.decode(bytes, { stream: true }));
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  #receive(data: string): void {
    const native = parseJson(data);
    const event = unwrapEvent(native);
    if (!isRecord(event)) return;
    if (event.type === "server.connected") this.#connect();
    else if (!isIgnored(event)) this.#route(native, event);
  }

  #connect(): void {
    const isReconnect = this.#isConnected;
    this.#isConnected = true;
    this.#failures = 0;
    this.#connected.resolve();
    if (isReconnect) for (const listener of this.#listeners.values()) listener.onReconnect();
  }

  #route(native: unknown, event: Readonly<Record<string, unknown>>): void {
    const sessionId = sessionOf(event);
    if (sessionId === undefined) return;
    const parent = parentOf(event);
    if (parent !== undefined) this.#roots.set(sessionId, this.#roots.get(parent) ?? parent);
    const listener = this.#listeners.get(this.#roots.get(sessionId) ?? sessionId);
    if (listener === undefined || !isIn(listener.directory, native)) return;
    if (parent === undefined && isAboutSession(event)) return;
    listener.onEvent(event);
  }
}

/** The maximum time without data, in milliseconds. The server sends a heartbeat every 10 s. */
const SILENCE_MS = 35_000;

/** True for events that only report a session's creation, title or usage. */
function isAboutSession({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === "session.created" || type === "session.updated";
}

function isIn(directory: string, native: unknown): boolean {
  return isRecord(native) && native.directory === directory;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
