import { backoffMs } from "../wire/backoff.ts";

/** Waits a little longer each time, until it has waited long enough. */
export class Retry {
  #attempt = 0;
  #leftMs: number;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
  }

  /** Says whether to try again. */
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
