/** Tells waiting readers that there may be something new. Who looks first and waits then misses nothing. */
export class Wake {
  #version = 0;
  #waiting: (() => void)[] = [];

  /** To be taken before looking. */
  get version(): number {
    return this.#version;
  }

  notify(): void {
    this.#version++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves once there was a notification after that version, or the signal aborts. */
  async after(version: number, signal?: AbortSignal): Promise<void> {
    if (this.#version !== version || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        signal?.removeEventListener("abort", go);
        resolve();
      };
      this.#waiting.push(go);
      signal?.addEventListener("abort", go);
    });
  }
}
