import { unlessAborted } from "./unless-aborted.ts";

/** A check that several callers wait for. If all of them give up before the check has ended, its effect is undone. */
export class SharedCheck {
  /** Settles when the check has ended, and has been undone if no caller needs it. Never rejects. */
  readonly over: Promise<void>;
  readonly #checking: Promise<void>;
  #needed = 0;

  constructor(checking: Promise<void>, undo: () => Promise<void>) {
    this.#checking = checking;
    const finish = () => (this.#needed === 0 ? undo() : undefined);
    this.over = checking.then(finish).catch(() => {}); // the callers receive the error of the check
  }

  /**
   * Waits until the check has ended. Rejects with the error of the check, or with the signal's reason if the signal is
   * aborted first.
   */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    this.#needed += 1;
    try {
      await (signal ? unlessAborted(this.#checking, signal) : this.#checking);
    } catch (error) {
      this.#needed -= 1;
      throw error;
    }
  }
}
