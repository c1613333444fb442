/** A text that arrives in many pieces. Joins the pieces periodically, so that reading the whole text is fast. */
export class GrowingText {
  #pieces: string[] = [];
  readonly #stretches: string[] = [];

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length < STRETCH) return;
    this.#stretches.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  toString(): string {
    return this.#stretches.join("") + this.#pieces.join("");
  }
}

const STRETCH = 64;
