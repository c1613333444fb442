import type { Phase } from "../schema/error.ts";
import type { Clock } from "./clock.ts";
import { HalyardError } from "./error.ts";

/** Waits for a promise, but not for ever: the error names the phase. A limit of 0 waits for ever. */
export async function within<T>(
  phase: Phase,
  limitMs: number,
  what: string,
  promise: Promise<T>,
): Promise<T> {
  if (limitMs === 0) return promise;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(phase, limitMs, what)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Watches over signs of life: fires once when there was none for as long as the current phase allows. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onSilence: (error: HalyardError) => void;
  #phase: { phase: Phase; limitMs: number; what: string } | undefined;
  #lastSign = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, onSilence: (error: HalyardError) => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  /** Begins a phase; a limit of 0 waits for ever. */
  watch(phase: Phase, limitMs: number, what: string): void {
    this.stop();
    if (limitMs === 0) return;
    this.#phase = { phase, limitMs, what };
    this.#lastSign = this.#clock.elapsedMs();
    this.#arm(limitMs);
  }

  /** A sign of life. Costs next to nothing: the timer looks at it when it fires. */
  touch(): void {
    this.#lastSign = this.#clock.elapsedMs();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#phase = undefined;
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => {
      if (this.#phase === undefined) return;
      const { phase, limitMs, what } = this.#phase;
      const left = this.#lastSign + limitMs - this.#clock.elapsedMs();
      if (left > 0) {
        this.#arm(left);
        return;
      }
      this.stop();
      this.#onSilence(timedOut(phase, limitMs, what));
    }, delayMs);
  }
}

export function timedOut(phase: Phase, limitMs: number, what: string): HalyardError {
  const message = `${what} took longer than ${limitMs / 1000} s (phase: ${phase})`;
  return new HalyardError("timed_out", message, { phase });
}
