import { backoffMs } from "../wire/backoff.ts";

/** Waits with increasing delays until a total limit is reached. */
export class Retry {
  #attempt = 0;
  #leftMs: number;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
  }

  /** Waits for the next delay. Resolves to false if the limit is reached or the signal is aborted. */
  async wait(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#leftMs <= 0 || signal?.aborted) return false;
    const delayMs = backoffMs(this.#attempt++, { baseMs: 20, maxMs: 1_000 });
    this.#leftMs -= delayMs;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(go, delayMs);
      function go() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", go);
        resolve();
      }
      signal?.addEventListener("abort", go);
    });
    return signal?.aborted !== true;
  }
}
