export interface Flow {
  /** Text before the first line of the section. */
  readonly first?: string;
  /** Text before every later line. */
  readonly rest?: string;
  readonly paint?: (text: string) => string;
}

/** Builds a text from pieces, in sections with one blank line between them. */
export class Page {
  #pending = "";
  #section: string | undefined;
  /** The number of line breaks at the end of the text, at most 2. An empty page counts as 2. */
  #lineEnds = 2;
  #isFresh = true;

  get atLineStart(): boolean {
    return this.#lineEnds > 0;
  }

  /** Returns the text that was added since the last call. */
  take(): string {
    const text = this.#pending;
    this.#pending = "";
    return text;
  }

  /** Starts a new section, unless the current section has this name. */
  section(name: string): void {
    if (name === this.#section) return;
    this.#section = name;
    this.#isFresh = true;
  }

  /** Adds a line. Ends an unfinished line first. */
  line(text: string): void {
    this.#begin();
    if (!this.atLineStart) this.#add("\n");
    this.#add(`${text}\n`);
  }

  /** Appends text to the current section without starting a new line. */
  flow(text: string, { first = "", rest = "", paint = (plain) => plain }: Flow = {}): void {
    const added = this.#isFresh ? text.replace(/^\s*\n|^\s+$/, "") : text;
    if (added === "") return;
    const isFirst = this.#begin();
    for (const [index, line] of added.split("\n").entries()) {
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
