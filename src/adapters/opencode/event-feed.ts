import { setTimeout as delay } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { createDeferred } from "../../core/deferred.ts";
import { backoffMs } from "../../wire/backoff.ts";
import { isRecord } from "../../wire/is-record.ts";
import type { Client } from "./client.ts";
import { isNoise, parentOf, sessionOf, unwrapEvent } from "./envelope.ts";

/** Hears the events of one session, and of those its subagents work in. */
export interface Listener {
  readonly sessionId: string;
  /** As the server writes it: a session is only itself in its own directory. */
  readonly directory: string;
  hear(event: unknown): void;
  /** What happened since the connection broke was missed; from here on nothing is. */
  reconnected(): void;
}

/** The one stream of a server's events, given out to the sessions they belong to. Reconnects until closed. */
export class EventFeed {
  readonly #client: Client;
  readonly #listeners = new Map<string, Listener>();
  /** The session that a subagent's session belongs to. */
  readonly #roots = new Map<string, string>();
  readonly #closed = new AbortController();
  readonly #connected = createDeferred<void>();
  #isConnected = false;
  #failures = 0;

  constructor(client: Client) {
    this.#client = client;
    void this.#run();
  }

  /** Kept once events are heard for the first time: what is asked before that may go unheard. */
  get connected(): Promise<void> {
    return this.#connected.promise;
  }

  /** Returns how to stop. */
  listen(listener: Listener): () => void {
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
      await this.#read().catch(() => {}); // whatever it was, there is another attempt
      const pauseMs = backoffMs(this.#failures++, { baseMs: 20, maxMs: 1000 });
      await delay(pauseMs, undefined, { signal }).catch(() => {}); // closed
    }
  }

  /** One connection, until it breaks or says nothing for longer than its heart may pause. */
  async #read(): Promise<void> {
    const silence = new AbortController();
    const watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
    const signal = AbortSignal.any([this.#closed.signal, silence.signal]);
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
    else if (!isNoise(event)) this.#route(native, event);
  }

  #connect(): void {
    const isAgain = this.#isConnected;
    this.#isConnected = true;
    this.#failures = 0;
    this.#connected.resolve();
    if (isAgain) for (const listener of this.#listeners.values()) listener.reconnected();
  }

  #route(native: unknown, event: Readonly<Record<string, unknown>>): void {
    const sessionId = sessionOf(event);
    if (sessionId === undefined) return;
    const parent = parentOf(event);
    if (parent !== undefined) this.#roots.set(sessionId, this.#roots.get(parent) ?? parent);
    const listener = this.#listeners.get(this.#roots.get(sessionId) ?? sessionId);
    if (listener === undefined || !isIn(listener.directory, native)) return;
    if (parent === undefined && isAboutSession(event)) return;
    listener.hear(event);
  }
}

/** The server's heart beats every ten seconds. */
const SILENCE_MS = 35_000;

/** Told again and again: its title, what it cost so far. */
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
