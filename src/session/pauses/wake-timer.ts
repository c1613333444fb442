import type { Clock } from "../../contracts/clock.ts";

/** Calls a function at a wall-clock time. Checks the clock in steps, because timers stop while the machine sleeps. */
export class WakeTimer {
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `wake` at the given time. Replaces the time and the function of an earlier call. */
  start(at: string, wake: () => void): void {
    clearTimeout(this.#timer);
    const leftMs = Date.parse(at) - this.#clock.now().getTime();
    const next = leftMs <= LONGEST_STEP_MS ? wake : () => this.start(at, wake);
    this.#timer = setTimeout(next, Math.max(0, Math.min(leftMs, LONGEST_STEP_MS)));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

const LONGEST_STEP_MS = 15_000;
