import {
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  moveCursor,
} from "node:readline";
import { stripVTControlCharacters } from "node:util";

export interface LiveScreenOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  onLine(line: string): void;
  /** Ctrl-C. */
  onInterrupt(): void;
  /** Ctrl-D. */
  onLeave(): void;
}

/** A text that grows, with a line below it to type in. */
export class LiveScreen implements Disposable {
  readonly #output: LiveScreenOptions["output"];
  readonly #reader: Interface;
  /** The text's last line, where that has no end yet. */
  #tail = "";
  #isOpen = true;

  constructor({ input, output, onLine, onInterrupt, onLeave }: LiveScreenOptions) {
    this.#output = output;
    this.#reader = createInterface({ input, output, prompt: "› " });
    for (const one of [this.#reader, output]) one.on("error", () => {}); // a terminal that is gone closes, too
    this.#reader.on("line", (line) => {
      this.#tail = "";
      onLine(line);
      if (this.#isOpen) this.#reader.prompt();
    });
    this.#reader.on("SIGINT", onInterrupt);
    this.#reader.on("close", () => {
      if (this.#isOpen) onLeave();
    });
    this.#reader.prompt();
  }

  /** Adds to the text. */
  write(text: string): void {
    if (text === "" || !this.#isOpen) return;
    this.#erase();
    const shown = `${this.#tail}${text}`;
    this.#tail = shown.slice(shown.lastIndexOf("\n") + 1);
    this.#output.write(this.#tail === "" ? shown : `${shown}\n`);
    this.#reader.prompt(true);
  }

  /** What to say before the line that is typed. */
  ask(prompt: string): void {
    if (!this.#isOpen) return;
    this.#erase();
    if (this.#tail !== "") this.#output.write(`${this.#tail}\n`);
    this.#reader.setPrompt(prompt);
    this.#reader.prompt(true);
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#erase();
    if (this.#tail !== "") this.#output.write(`${this.#tail}\n`);
    this.#isOpen = false;
    this.#reader.close();
  }

  /** Takes the line that is typed off the screen, and the unfinished one above it. */
  #erase(): void {
    const { rows } = this.#reader.getCursorPos();
    moveCursor(this.#output, 0, -rows - this.#rowsOf(this.#tail));
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
  }

  #rowsOf(line: string): number {
    if (line === "") return 0;
    const width = stripVTControlCharacters(line).length;
    return Math.max(1, Math.ceil(width / (this.#output.columns || 80)));
  }
}
