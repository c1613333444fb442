/**
 * Runs tasks with the same key one at a time, in the order of the calls. Runs at most `limit` tasks of all keys in
 * parallel; `limit` defaults to infinity.
 */
export class Lanes {
  readonly #limit: number;
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ limit = Number.POSITIVE_INFINITY }: { limit?: number } = {}) {
    this.#limit = limit;
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(() => this.#runLimited(task));
    const tail = result.catch(() => {}); // the caller receives the error through `result`
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  async #runLimited<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next)
        next(); // the next task uses the slot
      else this.#running--;
    }
  }
}
