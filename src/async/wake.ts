/**
 * Wakes waiting readers when new data may be available. A reader misses no change if it gets `version`, then reads,
 * then waits with `after(version)`.
 */
export class Wake {
  #version = 0;
  #waiting: (() => void)[] = [];

  /** The current version. Get it before reading. */
  get version(): number {
    return this.#version;
  }

  /** The number of waiting readers. */
  get waiting(): number {
    return this.#waiting.length;
  }

  notify(): void {
    this.#version++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /**
   * Notifies all readers when the signal is aborted. Returns a function that removes the listener. Call `notifyAt` once
   * per reader, not per wait.
   */
  notifyAt(signal: AbortSignal | undefined): () => void {
    const notify = () => this.notify();
    signal?.addEventListener("abort", notify);
    return () => signal?.removeEventListener("abort", notify);
  }

  /** Waits for the next call of `notify`. Resolves immediately if `version` is no longer the current version. */
  after(version: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#version !== version) resolve();
      else this.#waiting.push(resolve);
    });
  }
}
