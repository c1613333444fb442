/** How a turn of Droid's own stands to the one we know of. */
type Ending = "turn" | "stretch" | "other";

/**
 * Which of Droid's messages belong to the turn under way, and which end is its end. A message sent in mid-turn goes
 * into it where it can and makes a turn of its own where it cannot: then both are stretches of the one we know of.
 */
export class NativeTurn {
  /** Resting: all that Droid worked on has ended, and a message waits that it has not begun with. */
  #phase: "unknown" | "open" | "resting" | "ended" = "unknown";
  /** The user's messages it works on. */
  readonly #heard = new Set<string>();
  /** Messages of ours that were written to Droid and that it has not begun to work on. */
  readonly #waiting = new Set<string>();

  /** Whether there is none that a message could go into. */
  get hasEnded(): boolean {
    return this.#phase === "ended";
  }

  /** Droid works. Says whether that begins a turn. */
  begin(): boolean {
    const isNew = this.#phase === "unknown" || this.#phase === "ended";
    if (this.#phase === "ended") this.#heard.clear();
    this.#phase = "open";
    return isNew;
  }

  /** Whether what only a turn can say belongs to one: what comes after its end does not. */
  admits(): boolean {
    if (this.#phase === "unknown") this.#phase = "open";
    return this.#phase !== "ended";
  }

  /** A message is on its way: Droid may end a turn before it says that it has it, and works on it all the same. */
  wrote(messageId: string): void {
    if (!this.#heard.has(messageId)) this.#waiting.add(messageId);
  }

  /** Droid works on a message of the user's. */
  heard(messageId: string): void {
    this.#waiting.delete(messageId);
    this.#heard.add(messageId);
  }

  /** Droid will not work on it. Says whether that ends the turn, which waited for nothing else. */
  dropped(messageId: string): boolean {
    this.#waiting.delete(messageId);
    if (this.#phase !== "resting" || this.#waiting.size > 0) return false;
    this.#phase = "ended";
    return true;
  }

  /** A turn of Droid's has ended, by the id of the message that began it. */
  end(turnId: string | undefined, { isCancelled }: { isCancelled: boolean }): Ending {
    const hasWaited = turnId !== undefined && this.#waiting.delete(turnId);
    const isKnown = turnId === undefined || hasWaited || this.#heard.has(turnId);
    const isOther = !isKnown && this.#heard.size > 0;
    if (this.#phase === "ended" || isOther) return "other";
    if (isCancelled) this.#waiting.clear();
    this.#phase = this.#waiting.size > 0 ? "resting" : "ended";
    return this.#phase === "resting" ? "stretch" : "turn";
  }
}
