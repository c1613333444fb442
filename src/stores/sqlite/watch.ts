import { type FSWatcher, watch } from "node:fs";

interface ChangeWatchOptions {
  /** The file that every commit writes to. */
  readonly file: string;
  /** Changes whenever another connection has committed. */
  readonly version: () => number;
}

/** Tells of commits: those of this process when told to, those of others by looking whenever the file is written. */
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
      // Where the system has no more watches to give, the poll has to do.
    }
  }

  /** The file is written a moment before the commit can be seen, so the first look may come too early. */
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

  /** Undefined where it cannot be told: then a reader should look, and hear why. */
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
