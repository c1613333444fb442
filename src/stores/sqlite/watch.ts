import { type FSWatcher, watch } from "node:fs";

interface ChangeWatchOptions {
  /** The file that every commit writes to. */
  readonly file: string;
  /** Returns a number that changes after each commit of another connection. */
  readonly version: () => number;
}

/**
 * Notifies listeners of commits. Detects this process's commits by calls of `notify`, and other processes' commits by
 * changes to the file and by polling.
 */
export class ChangeWatch {
  readonly #options: ChangeWatchOptions;
  readonly #listeners = new Set<{ readonly call: () => void }>();
  #version: number | undefined;
  #watcher: FSWatcher | undefined;
  #poll: NodeJS.Timeout | undefined;
  #secondLook: NodeJS.Timeout | undefined;

  constructor(options: ChangeWatchOptions) {
    this.#options = options;
  }

  add(listener: () => void): () => void {
    const entry = { call: listener };
    this.#listeners.add(entry);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.stop();
    };
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener.call();
  }

  stop(): void {
    this.#listeners.clear();
    this.#watcher?.close();
    clearInterval(this.#poll);
    clearTimeout(this.#secondLook);
    this.#watcher = undefined;
    this.#secondLook = undefined;
  }

  #start(): void {
    this.#version = this.#currentVersion();
    this.#poll = setInterval(() => this.#look(), POLL_MS);
    try {
      this.#watcher = watch(this.#options.file, { persistent: false }, () => this.#lookTwice());
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // Ignored: if the system provides no more file watches, polling is used.
    }
  }

  /**
   * Checks for a commit twice, because the file is written shortly before the commit is visible and the first check may
   * be too early.
   */
  #lookTwice(): void {
    if (this.#look()) return;
    this.#secondLook ??= setTimeout(() => {
      this.#secondLook = undefined;
      this.#look();
    }, SECOND_LOOK_MS);
  }

  #look(): boolean {
    const version = this.#currentVersion();
    if (version !== undefined && version === this.#version) return false;
    this.#version = version;
    this.notify();
    return true;
  }

  /**
   * Returns the current version, or undefined if it cannot be read. In that case, readers are notified and receive the
   * error.
   */
  #currentVersion(): number | undefined {
    try {
      return this.#options.version();
    } catch {
      return undefined;
    }
  }
}

const POLL_MS = 500;
const SECOND_LOOK_MS = 2;
