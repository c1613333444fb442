/** How a turn of Droid's own stands to the one we know of. */
type Ending = "turn" | "stretch" | "other";

/**
 * Which of Droid's messages belong to the turn under way, and which end is its end. A message sent in mid-turn goes
 * into it where it can and makes a turn of its own where it cannot: then both are stretches of the one we know of.
 */
export class NativeTurn {
  #phase: "unknown" | "open" | "ended" = "unknown";
  /** The user's messages it works on. */
  readonly #heard = new Set<string>();
  /** Messages of ours that Droid has taken and not begun to work on. */
  readonly #waiting = new Set<string>();

  /** Droid works. Says whether that begins a turn. */
  begin(): boolean {
    const isNew = this.#phase !== "open";
    if (this.#phase === "ended") this.#heard.clear();
    this.#phase = "open";
    return isNew;
  }

  /** Whether what only a turn can say belongs to one: what comes after its end does not. */
  admits(): boolean {
    if (this.#phase === "unknown") this.#phase = "open";
    return this.#phase === "open";
  }

  took(messageId: string): void {
    this.#waiting.add(messageId);
  }

  /** Droid works on a message of the user's. */
  heard(messageId: string): void {
    this.#waiting.delete(messageId);
    this.#heard.add(messageId);
  }

  dropped(messageId: string): void {
    this.#waiting.delete(messageId);
  }

  /** A turn of Droid's has ended, by the id of the message that began it. */
  end(turnId: string | undefined, { isCancelled }: { isCancelled: boolean }): Ending {
    if (turnId !== undefined) this.#waiting.delete(turnId);
    const isOther = turnId !== undefined && this.#heard.size > 0 && !this.#heard.has(turnId);
    if (this.#phase === "ended" || isOther) return "other";
    if (isCancelled) this.#waiting.clear();
    if (this.#waiting.size > 0) return "stretch";
    this.#phase = "ended";
    return "turn";
  }
}
