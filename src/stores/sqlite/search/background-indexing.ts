import { setTimeout as delay } from "node:timers/promises";

/**
 * Fills the index while the store is open. While this process writes to the log, indexing uses at most a tenth of its
 * time, so that appends are not slowed down. Otherwise it uses at most half of the time.
 */
export class BackgroundIndexing {
  /** Indexes the next part of the log, and resolves with the number of events that are left. */
  readonly #advance: () => Promise<number>;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #commits = 0;

  constructor(advance: () => Promise<number>) {
    this.#advance = advance;
    this.#done = this.#run();
  }

  /** Must be called after each commit of this process. */
  onCommit(): void {
    this.#commits++;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    let commits = 0;
    for (let pauseMs = INTERVAL_MS; await this.#pause(pauseMs); ) {
      const isWriting = this.#commits !== commits;
      commits = this.#commits;
      const startedAt = performance.now();
      const left = await this.#advanceOrWait();
      const usedMs = performance.now() - startedAt;
      pauseMs = left === 0 ? INTERVAL_MS : usedMs * (isWriting ? PAUSE_WHILE_WRITING : 1);
    }
  }

  /** Waits for this number of milliseconds. Returns false if indexing was stopped in the meantime. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopping;
    await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // rejects only if `signal` is aborted
    return !signal.aborted;
  }

  /**
   * Indexes the next part. If the index cannot be written, retries later: the log is complete without the index, and a
   * search reports the error.
   */
  async #advanceOrWait(): Promise<number> {
    try {
      return await this.#advance();
    } catch {
      return 0;
    }
  }
}

/** The interval at which to check for new events, in milliseconds. */
const INTERVAL_MS = 1000;
/** The pause after a step while this process writes, as a multiple of the time that the step took. */
const PAUSE_WHILE_WRITING = 9;
