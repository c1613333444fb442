import type { Subscription } from "@nats-io/transport-node";
import type { NatsClient } from "./nats.ts";

/** Options of `StreamChanges`. */
export interface StreamChangesOptions {
  /** The subject that receives a message after each write. */
  readonly subject: string;
  /** Returns the sequence of the last message. Used to detect writes whose notification was lost. */
  readonly lastSequence: () => Promise<number>;
}

/**
 * Notifies listeners of writes by any process. Writers publish a notification that is not stored; polling covers
 * notifications that are lost because a connection or a writer fails.
 */
export class StreamChanges {
  readonly #client: NatsClient;
  readonly #options: StreamChangesOptions;
  readonly #listeners = new Set<{ readonly call: () => void }>();
  #subscription: Subscription | undefined;
  #poll: NodeJS.Timeout | undefined;
  #last = 0;
  #isNotifying = false;

  constructor(client: NatsClient, options: StreamChangesOptions) {
    this.#client = client;
    this.#options = options;
  }

  add(listener: () => void): () => void {
    const entry = { call: listener };
    this.#listeners.add(entry);
    this.#start();
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  /** Notifies the listeners of this process, and those of other processes. */
  publish(): void {
    this.notify();
    if (!this.#client.connection.isClosed()) this.#client.connection.publish(this.#options.subject);
  }

  /** Notifies listeners once per tick, never during the call that wrote. */
  notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    setImmediate(() => {
      this.#isNotifying = false;
      for (const listener of [...this.#listeners]) listener.call();
    });
  }

  stop(): void {
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #start(): void {
    if (this.#poll !== undefined || this.#client.connection.isClosed()) return;
    this.#subscription = this.#client.connection.subscribe(this.#options.subject, {
      callback: () => this.notify(),
    });
    // Errors are ignored, because the next poll retries.
    this.#poll = setInterval(() => void this.#look().catch(() => {}), POLL_MS);
  }

  async #look(): Promise<void> {
    const last = await this.#options.lastSequence();
    if (last !== this.#last) this.notify();
    this.#last = last;
  }
}

const POLL_MS = 1_000;
