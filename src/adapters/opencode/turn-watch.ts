/** What a turn is watched for, so that it ends although OpenCode does not say so, or says so too early. */
export interface TurnWatchOptions {
  /** Nothing came for a while although the turn should be over. */
  readonly onSettled: () => void;
  /** Nothing came for a long while. */
  readonly onSilence: () => void;
}

/** How long what belongs to a turn may follow on OpenCode's word that it is idle. */
const SETTLE_MS = 1_000;

/** After that much silence we ask. */
const SILENCE_MS = 10_000;

/** Two clocks that start anew with every event of a turn. */
export class TurnWatch {
  readonly #options: TurnWatchOptions;
  #settling: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(options: TurnWatchOptions) {
    this.#options = options;
  }

  /** Something came; `isSettling` where all that follows should follow soon. */
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
