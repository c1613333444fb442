import { HalyardError } from "../errors/error.ts";
import type { Phase } from "../schema/error.ts";

/** Options of a time limit. */
interface TimeLimitOptions {
  /** The setting that contains the limit, such as `limits.readyMs`, for the error message. Defaults to none. */
  readonly setting?: string;
}

/**
 * Waits for a promise for at most `limitMs`, and rejects with `timed_out` and the phase after that. 0 means no limit.
 */
export async function within<T>(
  phase: Phase,
  limitMs: number,
  what: string,
  promise: Promise<T>,
  options?: TimeLimitOptions,
): Promise<T> {
  if (limitMs === 0) return promise;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(phase, limitMs, what, options)), limitMs);
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
  watch(phase: Phase, limitMs: number, what: string, options?: TimeLimitOptions): void {
    if (this.#timer && this.#phase === phase && this.#limitMs === limitMs) {
      this.#timer.refresh(); // the common case; refreshing the timer is cheap
      return;
    }
    this.stop();
    if (limitMs === 0) return;
    this.#phase = phase;
    this.#limitMs = limitMs;
    const onLate = () => this.#onSilence(timedOut(phase, limitMs, what, options));
    this.#timer = setTimeout(onLate, limitMs);
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
export function timedOut(
  phase: Phase,
  limitMs: number,
  what: string,
  { setting }: TimeLimitOptions = {},
): HalyardError {
  const subject = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  const increase = setting === undefined ? "" : `, or increase ${setting}`;
  const message = `${subject} took longer than ${limitMs / 1000} s (phase: ${phase}). Try again${increase}.`;
  return new HalyardError("timed_out", message, { phase });
}
