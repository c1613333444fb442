export interface Flow {
  /** Put before the section's first words. */
  readonly first?: string;
  /** Put before every further line. */
  readonly rest?: string;
  readonly paint?: (text: string) => string;
}

/** A growing text in sections with one blank line between them, however its pieces come. */
export class Page {
  #pending = "";
  #section: string | undefined;
  /** How many line ends the text has at its end; a page that is still empty counts as begun afresh. */
  #lineEnds = 2;
  #isFresh = true;

  get atLineStart(): boolean {
    return this.#lineEnds > 0;
  }

  /** What was added since the last call. */
  take(): string {
    const text = this.#pending;
    this.#pending = "";
    return text;
  }

  /** What follows belongs together; a new name begins a new section. */
  section(name: string): void {
    if (name === this.#section) return;
    this.#section = name;
    this.#isFresh = true;
  }

  /** A line of its own. */
  line(text: string): void {
    this.#begin();
    if (!this.atLineStart) this.#add("\n");
    this.#add(`${text}\n`);
  }

  /** Words that go on where the last ones ended. */
  flow(text: string, { first = "", rest = "", paint = (words) => words }: Flow = {}): void {
    const words = this.#isFresh ? text.replace(/^\s*\n|^\s+$/, "") : text;
    if (words === "") return;
    const isFirst = this.#begin();
    for (const [index, line] of words.split("\n").entries()) {
      if (index > 0) this.#add("\n");
      if (line === "") continue;
      const margin = isFirst && index === 0 ? first : this.atLineStart ? rest : "";
      this.#add(paint(`${margin}${line}`));
    }
  }

  #begin(): boolean {
    const isFirst = this.#isFresh;
    if (isFirst) this.#add("\n".repeat(2 - this.#lineEnds));
    this.#isFresh = false;
    return isFirst;
  }

  #add(text: string): void {
    this.#pending += text;
    const ends = /\n*$/.exec(text)?.[0].length ?? 0;
    this.#lineEnds = Math.min(2, ends === text.length ? this.#lineEnds + ends : ends);
  }
}
