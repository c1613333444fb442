import { GrowingText } from "./growing-text.ts";
import type { StreamRedactor } from "./redaction.ts";

/**
 * The deltas of one message on their way into the log: redacted, and added up. A stream that another process began is
 * restored from the log and then fed the same output again, so that the redactor holds back what it held back before.
 */
export class MessageStream {
  readonly #redactor: StreamRedactor;
  readonly #logged = new GrowingText();
  /** What of the log has not been produced again yet; undefined if nothing was fed again. */
  #unmatched: string | undefined;
  /** Text that was produced again and is not in the log. */
  #missing = "";

  constructor(redactor: StreamRedactor) {
    this.#redactor = redactor;
  }

  /** The text of all deltas in the log. */
  get logged(): string {
    return this.#logged.toString();
  }

  /** Returns the text to append to the log for a delta. Empty if the redactor holds all of it back. */
  push(delta: string): string {
    const produced = this.#redactor.push(delta);
    const text = this.#unmatched === undefined ? produced : this.#missing + this.#match(produced);
    this.#missing = "";
    if (text !== "") this.#logged.add(text);
    return text;
  }

  /** Returns what the redactor held back, once no more text comes. */
  flush(): string {
    const produced = this.#redactor.flush();
    return this.#unmatched === undefined ? produced : this.#missing + this.#match(produced);
  }

  /** Adds text that the log already has. */
  restore(logged: string): void {
    this.#logged.add(logged);
  }

  /** Feeds output again that an earlier process has read. */
  replay(delta: string): void {
    this.#unmatched ??= this.logged;
    this.#missing += this.#match(this.#redactor.push(delta));
  }

  /** Takes off what the log has already. If the log has something else, another redactor wrote it, and it counts. */
  #match(produced: string): string {
    const unmatched = this.#unmatched ?? "";
    const length = Math.min(unmatched.length, produced.length);
    const isSame = unmatched.startsWith(produced.slice(0, length));
    this.#unmatched = isSame ? unmatched.slice(length) : "";
    return isSame ? produced.slice(length) : "";
  }
}
