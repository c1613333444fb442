import { Lanes } from "../core/lanes.ts";

/** What a client wants done with its sessions: with each of them one thing after the other. */
export class Errands {
  readonly #lanes = new Lanes();
  readonly #waiting = new Set<Waiting>();

  run<T>(id: string, task: () => Promise<T>): Promise<T> {
    return this.#lanes.run(id, task);
  }

  /** Hands something over once all is prepared for it. It can be called off until then, and is undefined at once. */
  async handOver<P, T>(
    id: string,
    prepare: () => Promise<P>,
    hand: (prepared: P) => T,
  ): Promise<T | undefined> {
    const calledOff = new AbortController();
    const { signal } = calledOff;
    const waiting = { id, calledOff };
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

  /** Calls off all that waits to be handed over to that session. */
  callOff(id: string): void {
    for (const waiting of this.#waiting) if (waiting.id === id) waiting.calledOff.abort();
  }
}

interface Waiting {
  readonly id: string;
  readonly calledOff: AbortController;
}
