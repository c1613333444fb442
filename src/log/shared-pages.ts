import type { StreamEvent } from "../schema/event.ts";

/** The number of cached pages. Several are cached because readers are at slightly different positions. */
const KEPT = 4;

/** Caches recent pages of a log, so that several readers share one read. */
export class SharedPages {
  readonly #read: (after: number, limit: number) => Promise<readonly StreamEvent[]>;
  readonly #pages = new Map<number, Promise<readonly StreamEvent[]>>();

  constructor(read: (after: number, limit: number) => Promise<readonly StreamEvent[]>) {
    this.#read = read;
  }

  /**
   * Reads a page. There must be events after `after`: an empty page would be cached although events may be appended
   * later.
   */
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
