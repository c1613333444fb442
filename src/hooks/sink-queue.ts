import type { HookPayload } from "../schema/hook.ts";
import type { HookSink } from "./sink.ts";

/**
 * Limit of undelivered payloads per sink. Further payloads are dropped, so that a slow sink does not fill the memory.
 */
const MAX_WAITING = 1000;

/** Delivers payloads to one sink, in order and one at a time. `add` never waits. */
export class SinkQueue {
  readonly #sink: HookSink;
  readonly #onProblem: (problem: string) => void;
  readonly #aborting = new AbortController();
  readonly #waiting: HookPayload[] = [];
  #working: Promise<void> | undefined;
  #dropped = 0;

  constructor(sink: HookSink, onProblem: (problem: string) => void) {
    this.#sink = sink;
    this.#onProblem = onProblem;
  }

  add(payload: HookPayload): void {
    const { events } = this.#sink;
    if (events && !events.includes(payload.event)) return;
    if (this.#waiting.length >= MAX_WAITING || this.#aborting.signal.aborted) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(payload);
    this.#working ??= this.#work();
  }

  /** Resolves when all payloads are delivered, or dropped because the signal was aborted. */
  async drain(signal: AbortSignal): Promise<void> {
    const abort = (): void => {
      this.#dropped += this.#waiting.splice(0).length;
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
      const { event, session_id: session } = next;
      try {
        await this.#sink.deliver(next, { signal: this.#aborting.signal });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#report(`did not receive ${event} of ${session}: ${reason}`);
      }
    }
    this.#working = undefined;
  }

  #report(what: string): void {
    this.#onProblem(`hook ${this.#sink.name} ${what}`);
  }
}
