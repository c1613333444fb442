/** A text that comes in many pieces: joined now and then on the way, so that the whole is there soon when it is asked for. */
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
