/** Has the tasks of one key wait for each other, and all of them for a place where these are limited. */
export class Lanes {
  readonly #places: number;
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ places = Number.POSITIVE_INFINITY }: { places?: number } = {}) {
    this.#places = places;
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(() => this.#inPlace(task));
    const tail = result.catch(() => {}); // whoever asked for it knows
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  async #inPlace<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#places)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next)
        next(); // whose place it is from now on
      else this.#running--;
    }
  }
}
