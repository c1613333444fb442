/** Tells waiting readers that there may be something new. Who looks first and waits then misses nothing. */
export class Wake {
  #version = 0;
  #waiting: (() => void)[] = [];

  /** To be taken before looking. */
  get version(): number {
    return this.#version;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  notify(): void {
    this.#version++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** An abort is news too; returns how to be no longer told of it. Once for a reader, for it waits many times. */
  notifyAt(signal: AbortSignal | undefined): () => void {
    const notify = () => this.notify();
    signal?.addEventListener("abort", notify);
    return () => signal?.removeEventListener("abort", notify);
  }

  /** Resolves once there was a notification after that version. */
  after(version: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#version !== version) resolve();
      else this.#waiting.push(resolve);
    });
  }
}
