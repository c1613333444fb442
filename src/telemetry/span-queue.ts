import { within } from "../async/watchdog.ts";
import { reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import type { OtlpConnection } from "./otlp.ts";
import type { Span } from "./span.ts";

/** Options of `SpanQueue`. */
export interface SpanQueueOptions {
  /** Called with the reason if spans cannot be sent. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Sends spans in batches. `add` never waits. Drops a batch that cannot be sent, and spans above the limit of 10,000
 * waiting spans, so that memory stays bounded.
 */
export class SpanQueue implements AsyncDisposable {
  readonly #connection: OtlpConnection;
  readonly #onProblem: (problem: string) => void;
  #spans: Span[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #lastProblem: string | undefined;

  constructor(connection: OtlpConnection, { onProblem }: SpanQueueOptions) {
    this.#connection = connection;
    this.#onProblem = onProblem;
  }

  add(spans: readonly Span[]): void {
    this.#connection.count(spans);
    const room = MAX_WAITING - this.#spans.length;
    this.#spans.push(...spans.slice(0, room));
    this.#dropped += Math.max(0, spans.length - room);
    if (this.#spans.length >= BATCH) void this.#send();
    this.#timer ??= setTimeout(() => void this.#send(), INTERVAL_MS).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await within("stop", FLUSH_MS, "sending the last spans", this.#sendAll());
      const closed = this.#connection[Symbol.asyncDispose]();
      await within("stop", FLUSH_MS, "sending the last metrics", Promise.resolve(closed));
    } catch (error) {
      this.#report(reasonOf(error));
    }
  }

  async #sendAll(): Promise<void> {
    while (this.#spans.length > 0 || this.#sending !== undefined) await this.#send();
  }

  /** Sends at most 500 of the waiting spans. Never rejects. Concurrent calls share one request. */
  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#spans.splice(0, BATCH);
    if (batch.length === 0) return;
    try {
      await this.#connection.send(batch);
      this.#lastProblem = undefined;
    } catch (error) {
      this.#report(reasonOf(error));
    }
    if (this.#dropped > 0) this.#report(`${this.#dropped} spans were dropped`);
    this.#dropped = 0;
    if (this.#spans.length > 0)
      this.#timer ??= setTimeout(() => void this.#send(), INTERVAL_MS).unref();
  }

  /** Reports a problem, but not the same one twice in a row until spans are sent again. */
  #report(problem: string): void {
    if (problem === this.#lastProblem) return;
    this.#lastProblem = problem;
    this.#onProblem(
      `Telemetry was not sent: ${sentence(problem)} Run "halyard telemetry export --since 1h" to send it later.`,
    );
  }
}

const BATCH = 500;
const INTERVAL_MS = 1000;
const MAX_WAITING = 10_000;
const FLUSH_MS = 5000;
