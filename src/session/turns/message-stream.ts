import type { StreamRedactor } from "../../log/redaction/redaction.ts";
import { GrowingText } from "../../wire/growing-text.ts";

/**
 * Redacts and concatenates the deltas of one message before they are logged. If another process started the message,
 * the stream is restored from the log and then receives the same output again. The redactor thus buffers the same text
 * as before.
 */
export class MessageStream {
  readonly #redactor: StreamRedactor;
  readonly #logged = new GrowingText();
  /** The logged text that the replay has not produced again yet. Undefined if no output was replayed. */
  #unmatched: string | undefined;
  /** Replayed text that is not in the log. */
  #missing = "";

  constructor(redactor: StreamRedactor) {
    this.#redactor = redactor;
  }

  /** The text of all deltas in the log. */
  get logged(): string {
    return this.#logged.toString();
  }

  /** Returns the text to log for a delta. Empty if the redactor buffers all of it. */
  push(delta: string): string {
    const produced = this.#redactor.push(delta);
    const text = this.#unmatched === undefined ? produced : this.#missing + this.#match(produced);
    this.#missing = "";
    if (text !== "") this.#logged.add(text);
    return text;
  }

  /** Returns the text that the redactor buffered, at the end of the message. */
  flush(): string {
    const produced = this.#redactor.flush();
    return this.#unmatched === undefined ? produced : this.#missing + this.#match(produced);
  }

  /** Adds text that is already in the log. */
  restore(logged: string): void {
    this.#logged.add(logged);
  }

  /** Processes a delta that an earlier process has already read. */
  replay(delta: string): void {
    this.#unmatched ??= this.logged;
    this.#missing += this.#match(this.#redactor.push(delta));
  }

  /**
   * Returns `produced` without the text that is already in the log. If the log contains different text, another redactor
   * wrote that text, and the logged text takes precedence.
   */
  #match(produced: string): string {
    const unmatched = this.#unmatched ?? "";
    const length = Math.min(unmatched.length, produced.length);
    const isSame = unmatched.startsWith(produced.slice(0, length));
    this.#unmatched = isSame ? unmatched.slice(length) : "";
    return isSame ? produced.slice(length) : "";
  }
}
