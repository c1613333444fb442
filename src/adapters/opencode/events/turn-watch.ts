/** Callbacks for a turn whose end OpenCode reports too early or not at all. */
export interface NativeTurnWatchOptions {
  /** Called if no event arrives for 1 s after OpenCode reported idle. */
  readonly onSettled: () => void;
  /** Called after every 10 s without an event. */
  readonly onSilence: () => void;
}

/** The time after the idle report in which a turn's events can still arrive, in milliseconds. */
const SETTLE_MS = 1_000;

const SILENCE_MS = 10_000;

/** Detects that a turn has settled or that no event arrives. Each of the turn's events restarts both timers. */
export class NativeTurnWatch {
  readonly #options: NativeTurnWatchOptions;
  #settling: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(options: NativeTurnWatchOptions) {
    this.#options = options;
  }

  /** Restarts the timers. `isSettling` is true if OpenCode reported idle. */
  touch({ isSettling }: { isSettling: boolean }): void {
    if (this.#silence === undefined) {
      this.#silence = setInterval(() => this.#options.onSilence(), SILENCE_MS);
      this.#silence.unref();
    }
    this.#silence.refresh();
    if (!isSettling) {
      clearTimeout(this.#settling);
      this.#settling = undefined;
    } else if (this.#settling === undefined) {
      this.#settling = setTimeout(() => this.#options.onSettled(), SETTLE_MS);
    } else {
      this.#settling.refresh();
    }
  }

  stop(): void {
    clearTimeout(this.#settling);
    clearInterval(this.#silence);
    this.#settling = undefined;
    this.#silence = undefined;
  }
}
