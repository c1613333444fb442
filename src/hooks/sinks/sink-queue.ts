import { reasonOf } from "../../errors/error.ts";
import { defaultHookEvents, type HookPayload } from "../../schema/hook.ts";
import type { SessionId } from "../../schema/id.ts";
import { deliveryId } from "../delivery-id.ts";
import type { HookOutbox, PendingDelivery } from "../outbox.ts";
import { type HookSink, TransientError } from "./sink.ts";

/**
 * The maximum number of payloads that wait in memory for one sink. Further payloads stay in the outbox, or are dropped
 * if they are not in an outbox, so that a slow sink does not fill the memory.
 */
const MAX_WAITING = 1000;

interface SinkQueueOptions {
  readonly onProblem: (problem: string) => void;
  /** Stores payloads until they are delivered. Used only if the sink has an id. */
  readonly outbox?: HookOutbox | undefined;
}

interface Waiting {
  readonly id: string;
  readonly payload: HookPayload;
  /** The stored delivery, if the payload is on disk. */
  readonly kept: PendingDelivery | undefined;
}

/** Delivers payloads to one sink, in order and one at a time. `add` never waits. */
export class SinkQueue {
  readonly #sink: HookSink;
  readonly #onProblem: (problem: string) => void;
  readonly #outbox: HookOutbox | undefined;
  readonly #aborting = new AbortController();
  readonly #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #dropped = 0;

  constructor(sink: HookSink, { onProblem, outbox }: SinkQueueOptions) {
    this.#sink = sink;
    this.#onProblem = onProblem;
    this.#outbox = outbox;
  }

  get sinkId(): string | undefined {
    return this.#sink.id;
  }

  /** The number of undelivered payloads. */
  get length(): number {
    return this.#waiting.length + (this.#working === undefined ? 0 : 1);
  }

  add(payload: HookPayload, sessionId: SessionId): void {
    const { events = defaultHookEvents } = this.#sink;
    if (!events.includes(payload.event)) return;
    const kept = this.#keep(payload, sessionId);
    if (this.#waiting.length >= MAX_WAITING || this.#aborting.signal.aborted) {
      this.#leave(kept);
      return;
    }
    this.#waiting.push({ id: deliveryId(sessionId, payload), payload, kept });
    this.#working ??= this.#work();
  }

  /**
   * Resolves when all payloads are delivered. When the signal is aborted, the remaining payloads stay in the outbox, or are
   * dropped if they are not in the outbox.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const abort = (): void => {
      for (const { kept } of this.#waiting.splice(0)) this.#leave(kept);
      this.#aborting.abort(new Error("Halyard was closed before the delivery finished"));
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    await this.#working;
    signal.removeEventListener("abort", abort);
    if (this.#dropped > 0) this.#report(`did not receive ${this.#dropped} more events`);
    this.#dropped = 0;
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { id, payload, kept } = next;
      const { event, session_id: session } = payload;
      const { signal } = this.#aborting;
      try {
        await this.#sink.deliver(payload, { id, signal });
        if (kept) this.#outbox?.release(kept);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (kept && (signal.aborted || error instanceof TransientError)) this.#leave(kept);
        else if (kept) this.#outbox?.release(kept);
        if (kept && signal.aborted) continue;
        const later = kept && error instanceof TransientError ? ". The daemon tries again" : "";
        this.#report(`did not receive ${event} of ${session}: ${reason}${later}`);
      }
    }
    this.#working = undefined;
  }

  /** Writes a payload to the outbox. Returns undefined if the payload is only kept in memory. */
  #keep(payload: HookPayload, sessionId: SessionId): PendingDelivery | undefined {
    if (this.#sink.id === undefined || this.#outbox === undefined) return undefined;
    const delivery = { sink: this.#sink.id, sessionId, payload };
    try {
      this.#outbox.keep(delivery);
      return delivery;
    } catch (error) {
      this.#report(`may lose ${payload.event} of ${payload.session_id}: ${reasonOf(error)}`);
      return undefined;
    }
  }

  /** Leaves a payload that is on disk for the daemon to deliver. A payload that is only in memory is dropped. */
  #leave(kept: PendingDelivery | undefined): void {
    if (kept) this.#outbox?.abandon(kept);
    else this.#dropped++;
  }

  #report(what: string): void {
    this.#onProblem(`Hook ${this.#sink.name} ${what}`);
  }
}
