import {
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  moveCursor,
} from "node:readline";
import { type ConsoleInput, takePendingInput } from "../console/pending-input.ts";
import { displayWidth } from "./display-width.ts";

export interface LiveScreenOptions {
  readonly input: ConsoleInput;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  /** A line typed while no question was drawn. */
  onLine(line: string): void;
  /** A line typed after a question was drawn. */
  onAnswer(line: string): void;
  /** Ctrl-C. */
  onInterrupt(): void;
  /** Ctrl-D. */
  onLeave(): void;
  /** Ctrl-Z. Without it, the process is suspended. */
  readonly onSuspend?: (() => void) | undefined;
}

/** A growing text with a status line and an input line below it. */
export class LiveScreen implements Disposable {
  readonly #options: LiveScreenOptions;
  readonly #reader: Interface;
  /** The last line of the text, if it has no end yet. */
  #tail = "";
  #status = "";
  #isOpen = true;
  #mode: Mode = { kind: "message" };
  /** A message that was being typed when a question came. */
  #draft = "";
  readonly #quiet: NodeJS.Timeout;
  #lastKeyAt = 0;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
    const { input, output, onInterrupt, onLeave, onSuspend } = options;
    this.#reader = createInterface({ input, output, prompt: PROMPT });
    for (const one of [this.#reader, output]) one.on("error", () => {}); // a console that is gone closes, too
    this.#reader.on("line", (line) => this.#take(line));
    this.#reader.on("SIGINT", onInterrupt);
    if (onSuspend) this.#reader.on("SIGTSTP", onSuspend);
    this.#reader.on("close", () => {
      if (this.#isOpen) onLeave();
    });
    this.#quiet = setTimeout(() => this.#drawQuestion(), QUIET_MS);
    input.on("keypress", this.#onKey);
    this.#reader.prompt();
  }

  /** The message that is being typed. */
  get draft(): string {
    return this.#mode.kind === "message" ? this.#reader.line : this.#draft;
  }

  /** Appends to the text. */
  write(text: string): void {
    if (text === "" || !this.#isOpen) return;
    this.#redraw(() => {
      const shown = `${this.#tail}${text}`;
      this.#tail = shown.slice(shown.lastIndexOf("\n") + 1);
      this.#options.output.write(this.#tail === "" ? shown : `${shown}\n`);
    });
  }

  /** The line above the input line; an empty one takes no room. */
  showStatus(status: string): void {
    if (status === this.#status || !this.#isOpen) return;
    this.#redraw(() => {
      if (this.#tail !== "") this.#options.output.write(`${this.#tail}\n`);
      this.#status = status;
    });
  }

  /**
   * Asks a question in place of the message line. The message typed so far is set aside, and only a line typed after the
   * question was drawn answers it: it is drawn when the keyboard has been quiet for 200 ms.
   */
  ask(question: string): void {
    const isFirst = this.#mode.kind === "message";
    this.#mode = { kind: "waiting", question, keepsDraft: isFirst };
    if (performance.now() - this.#lastKeyAt > QUIET_MS) this.#drawQuestion();
    else this.#quiet.refresh();
  }

  /** Returns to the message line, with the message that was set aside. */
  endQuestion(): void {
    const { kind } = this.#mode;
    if (kind === "message" || !this.#isOpen) return;
    const isDrawn = kind !== "waiting" || !this.#mode.keepsDraft;
    this.#mode = { kind: "message" };
    if (!isDrawn) return;
    this.#redraw(() => {
      if (this.#tail !== "") this.#options.output.write(`${this.#tail}\n`);
      this.#reader.setPrompt(PROMPT);
      this.#replaceLine(this.#draft);
      this.#draft = "";
    });
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#erase();
    if (this.#tail !== "") this.#options.output.write(`${this.#tail}\n`);
    this.#isOpen = false;
    clearTimeout(this.#quiet);
    this.#options.input.off("keypress", this.#onKey);
    this.#reader.close();
  }

  readonly #onKey = (): void => {
    this.#lastKeyAt = performance.now();
    if (this.#mode.kind === "waiting") this.#quiet.refresh();
  };

  #take(line: string): void {
    this.#tail = "";
    const mode = this.#mode;
    if (mode.kind === "asking") {
      this.#mode = { kind: "answered" };
      this.#reader.setPrompt(""); // the question takes no second answer
      this.#options.onAnswer(line);
    } else if (mode.kind === "message" || (mode.kind === "waiting" && mode.keepsDraft)) {
      this.#options.onLine(line);
    }
    if (this.#isOpen) this.#prompt();
  }

  #drawQuestion(): void {
    if (this.#mode.kind !== "waiting" || !this.#isOpen) return;
    const pending = takePendingInput(this.#options.input);
    if (pending !== "") {
      this.#reader.write(pending); // it belongs to the message
      this.#quiet.refresh();
      return;
    }
    const { question, keepsDraft } = this.#mode;
    if (keepsDraft) this.#draft = this.#reader.line;
    this.#redraw(() => {
      if (this.#tail !== "") this.#options.output.write(`${this.#tail}\n`);
      this.#replaceLine("");
      this.#reader.setPrompt(question);
    });
    this.#mode = { kind: "asking" };
  }

  /** Erases everything below the text, changes something, and draws it again. */
  #redraw(change: () => void): void {
    this.#erase();
    change();
    this.#prompt();
  }

  #prompt(): void {
    if (this.#status !== "") this.#options.output.write(`${this.#status}\n`);
    this.#reader.prompt(true);
  }

  /** Without drawing it, as `write` would. */
  #replaceLine(text: string): void {
    Object.assign(this.#reader, { line: text, cursor: text.length });
  }

  /** Erases the input line, the status line and the unfinished line above them. */
  #erase(): void {
    const { output } = this.#options;
    const { rows } = this.#reader.getCursorPos();
    moveCursor(output, 0, -rows - this.#rowsOf(this.#status) - this.#rowsOf(this.#tail));
    cursorTo(output, 0);
    clearScreenDown(output);
    Object.assign(this.#reader, { prevRows: 0 }); // or readline goes up the same rows once more
  }

  #rowsOf(line: string): number {
    if (line === "") return 0;
    return Math.max(1, Math.ceil(displayWidth(line) / (this.#options.output.columns || 80)));
  }
}

/** What a typed line is for. */
type Mode =
  | { readonly kind: "message" }
  /** A question is to be drawn; lines typed before that are messages, or nothing after another question. */
  | { readonly kind: "waiting"; readonly question: string; readonly keepsDraft: boolean }
  | { readonly kind: "asking" }
  /** An answer was typed; until the next question, or none, input is discarded. */
  | { readonly kind: "answered" };

const PROMPT = "› ";
const QUIET_MS = 200;
