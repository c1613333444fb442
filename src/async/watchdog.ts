import { HalyardError } from "../errors/error.ts";
import type { Phase } from "../schema/error.ts";

/**
 * Waits for a promise for at most `limitMs`, and rejects with `timed_out` and the phase after that. 0 means no limit.
 */
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

/** Calls `onSilence` if neither `watch` nor `restart` is called within the limit. `stop` ends the wait. */
export class Watchdog {
  readonly #onSilence: (error: HalyardError) => void;
  #timer: NodeJS.Timeout | undefined;
  #phase: Phase | undefined;
  #limitMs = 0;

  constructor(onSilence: (error: HalyardError) => void) {
    this.#onSilence = onSilence;
  }

  /** Starts or restarts the wait. With a limit of 0, stops the wait. */
  watch(phase: Phase, limitMs: number, what: string): void {
    if (this.#timer && this.#phase === phase && this.#limitMs === limitMs) {
      this.#timer.refresh(); // the common case; refreshing the timer is cheap
      return;
    }
    this.stop();
    if (limitMs === 0) return;
    this.#phase = phase;
    this.#limitMs = limitMs;
    this.#timer = setTimeout(() => this.#onSilence(timedOut(phase, limitMs, what)), limitMs);
  }

  /** Restarts the wait with the same limit. Has no effect if the watchdog is not waiting. */
  restart(): void {
    this.#timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Returns the error for an operation that exceeded the time limit of its phase. */
export function timedOut(phase: Phase, limitMs: number, what: string): HalyardError {
  const subject = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  const message = `${subject} took longer than ${limitMs / 1000} s (phase: ${phase}). Try again, or allow more time.`;
  return new HalyardError("timed_out", message, { phase });
}
