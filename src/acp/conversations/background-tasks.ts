import { Lanes } from "../../async/lanes.ts";

/** Runs the tasks of each session one at a time. */
export class BackgroundTasks {
  readonly #lanes = new Lanes();
  readonly #waiting = new Set<Waiting>();

  run<T>(id: string, task: () => Promise<T>): Promise<T> {
    return this.#lanes.run(id, task);
  }

  /**
   * Runs `prepare` and passes its result to `hand`. Resolves to undefined immediately if the task is cancelled before
   * `hand` is called.
   */
  async runWhenReady<P, T>(
    id: string,
    prepare: () => Promise<P>,
    hand: (prepared: P) => T,
  ): Promise<T | undefined> {
    const cancellation = new AbortController();
    const { signal } = cancellation;
    const waiting = { id, cancellation };
    this.#waiting.add(waiting);
    const handed = this.run(id, async () => {
      if (signal.aborted) return undefined;
      const prepared = await prepare();
      if (signal.aborted) return undefined;
      this.#waiting.delete(waiting);
      return hand(prepared);
    });
    const nothing = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined));
    });
    try {
      return await Promise.race([handed, nothing]);
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  /** Cancels all `runWhenReady` tasks of a session that are waiting or still being prepared. */
  cancelPending(id: string): void {
    for (const waiting of this.#waiting) if (waiting.id === id) waiting.cancellation.abort();
  }
}

interface Waiting {
  readonly id: string;
  readonly cancellation: AbortController;
}
