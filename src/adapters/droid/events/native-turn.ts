/**
 * The part of the conversation that a native turn ends: Halyard's turn, a segment of Halyard's turn, or an unrelated
 * turn.
 */
type TurnEnd = "turn" | "segment" | "other";

/**
 * Determines which of Droid's messages belong to the current turn, and when the turn ends. If possible, Droid adds a
 * message that is sent during a turn to that turn. Otherwise, Droid starts another native turn, and both native turns
 * are segments of one Halyard turn.
 */
export class NativeTurn {
  /** `waiting`: the last native turn has ended, and Droid has not started to work on a message that was sent. */
  #phase: "unknown" | "open" | "waiting" | "ended" = "unknown";
  /** User messages that Droid has started to work on. */
  readonly #started = new Set<string>();
  /** Messages that were sent and that Droid has not started to work on. */
  readonly #waiting = new Set<string>();

  /** True if the last turn has ended and Droid has not started another turn. */
  get hasEnded(): boolean {
    return this.#phase === "ended";
  }

  /** Records that Droid is working. Returns true if this starts a turn. */
  begin(): boolean {
    const isNew = this.#phase === "unknown" || this.#phase === "ended";
    if (this.#phase === "ended") this.#started.clear();
    this.#phase = "open";
    return isNew;
  }

  /**
   * Returns true if a message that belongs to a turn is part of the current turn, and false after the turn has ended.
   * An unknown state counts as an open turn.
   */
  accepts(): boolean {
    if (this.#phase === "unknown") this.#phase = "open";
    return this.#phase !== "ended";
  }

  /**
   * Records a message that is being sent. Droid may end a turn before it acknowledges the message, and still process
   * the message.
   */
  sent(messageId: string): void {
    if (!this.#started.has(messageId)) this.#waiting.add(messageId);
  }

  /** Records that Droid has started to work on a message. */
  started(messageId: string): void {
    this.#waiting.delete(messageId);
    this.#started.add(messageId);
  }

  /** Records that Droid will not process a message. Returns true if this ends the turn. */
  dropped(messageId: string): boolean {
    this.#waiting.delete(messageId);
    if (this.#phase !== "waiting" || this.#waiting.size > 0) return false;
    this.#phase = "ended";
    return true;
  }

  /** Records the end of a native turn, and returns what ended. `turnId` is the id of the message that started the turn. */
  end(turnId: string | undefined, { isCancelled }: { isCancelled: boolean }): TurnEnd {
    const hasWaited = turnId !== undefined && this.#waiting.delete(turnId);
    const isKnown = turnId === undefined || hasWaited || this.#started.has(turnId);
    const isOther = !isKnown && this.#started.size > 0;
    if (this.#phase === "ended" || isOther) return "other";
    if (isCancelled) this.#waiting.clear();
    this.#phase = this.#waiting.size > 0 ? "waiting" : "ended";
    return this.#phase === "waiting" ? "segment" : "turn";
  }
}
