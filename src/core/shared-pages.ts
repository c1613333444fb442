import type { StreamEvent } from "../schema/event.ts";

/** How many pages are kept, for readers that come one after the other. */
const KEPT = 4;

/** Pages of a log that several readers ask for are read once, while they are recent. */
export class SharedPages {
  readonly #read: (after: number, limit: number) => Promise<readonly StreamEvent[]>;
  readonly #pages = new Map<number, Promise<readonly StreamEvent[]>>();

  constructor(read: (after: number, limit: number) => Promise<readonly StreamEvent[]>) {
    this.#read = read;
  }

  /** There has to be something after that place: what was the end once may not be it any more. */
  read(after: number, limit: number): Promise<readonly StreamEvent[]> {
    const known = this.#pages.get(after);
    if (known) return known;
    const page = this.#read(after, limit);
    this.#pages.set(after, page);
    page.catch(() => this.#pages.delete(after));
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > KEPT && oldest !== undefined) this.#pages.delete(oldest);
    return page;
  }

  clear(): void {
    this.#pages.clear();
  }
}
