import type { HookPayload } from "../schema/hook.ts";
import type { HookSink } from "./sink.ts";

/** A sink that is this far behind will not catch up, and must not fill the memory. */
const MAX_WAITING = 1000;

/** Tells one sink of things in their order and one at a time, while those who add to it go on. */
export class SinkQueue {
  readonly #sink: HookSink;
  readonly #onProblem: (problem: string) => void;
  readonly #givingUp = new AbortController();
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
    if (this.#waiting.length >= MAX_WAITING || this.#givingUp.signal.aborted) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(payload);
    this.#working ??= this.#work();
  }

  /** Resolves once all was told, or given up for want of time. */
  async drain(signal: AbortSignal): Promise<void> {
    const giveUp = (): void => {
      this.#dropped += this.#waiting.splice(0).length;
      this.#givingUp.abort(new Error("there was no more time for it"));
    };
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    await this.#working;
    signal.removeEventListener("abort", giveUp);
    if (this.#dropped > 0) this.#complain(`was not told of ${this.#dropped} things`);
    this.#dropped = 0;
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { event, session_id: session } = next;
      try {
        await this.#sink.deliver(next, { signal: this.#givingUp.signal });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#complain(`was not told of ${event} in ${session}: ${reason}`);
      }
    }
    this.#working = undefined;
  }

  #complain(what: string): void {
    this.#onProblem(`hook ${this.#sink.name} ${what}`);
  }
}
