import type { Phase } from "../schema/error.ts";
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

/** Waits for the next sign of life: fires once where there is none for as long as the phase allows. */
export class Watchdog {
  readonly #onSilence: (error: HalyardError) => void;
  #timer: NodeJS.Timeout | undefined;
  #phase: Phase | undefined;
  #limitMs = 0;

  constructor(onSilence: (error: HalyardError) => void) {
    this.#onSilence = onSilence;
  }

  /** Begins to wait, anew if it did already; a limit of 0 waits for ever. */
  watch(phase: Phase, limitMs: number, what: string): void {
    if (this.#timer && this.#phase === phase && this.#limitMs === limitMs) {
      this.#timer.refresh(); // as it is at every sign of life, and costs next to nothing
      return;
    }
    this.stop();
    if (limitMs === 0) return;
    this.#phase = phase;
    this.#limitMs = limitMs;
    this.#timer = setTimeout(() => this.#onSilence(timedOut(phase, limitMs, what)), limitMs);
  }

  /** Waits once more for what it has waited for. */
  again(): void {
    this.#timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

export function timedOut(phase: Phase, limitMs: number, what: string): HalyardError {
  const message = `${what} took longer than ${limitMs / 1000} s (phase: ${phase})`;
  return new HalyardError("timed_out", message, { phase });
}
