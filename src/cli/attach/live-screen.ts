import {
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  moveCursor,
} from "node:readline";
import { type ConsoleInput, takePendingInput } from "../console/pending-input.ts";
import { displayWidth } from "../text/display-width.ts";

export interface LiveScreenOptions {
  readonly input: ConsoleInput;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  /** Called with a line that was typed while no question was drawn. */
  onLine(line: string): void;
  /** Called with a line that was typed after a question was drawn. */
  onAnswer(line: string): void;
  /** Called for Ctrl-C. */
  onInterrupt(): void;
  /** Called for Ctrl-D, and when the input ends. */
  onLeave(): void;
  /** Called for Ctrl-Z. If omitted, Ctrl-Z suspends the process. */
  readonly onSuspend?: (() => void) | undefined;
}

/** Appends text to the console, and draws a status line and an input line below the text. */
export class LiveScreen implements Disposable {
  readonly #options: LiveScreenOptions;
  readonly #reader: Interface;
  /** The last line of the text, or an empty string if the text ends with a line break. */
  #tail = "";
  #status = "";
  #isOpen = true;
  #mode: Mode = { kind: "message" };
  /** The unfinished message that a question replaced. */
  #draft = "";
  readonly #quiet: NodeJS.Timeout;
  #lastKeyAt = 0;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
    const { input, output, onInterrupt, onLeave, onSuspend } = options;
    this.#reader = createInterface({ input, output, prompt: PROMPT });
    for (const one of [this.#reader, output]) one.on("error", () => {}); // the "close" event that follows ends the view
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

  /** Appends text above the status line and the input line. */
  write(text: string): void {
    if (text === "" || !this.#isOpen) return;
    this.#redraw(() => {
      const shown = `${this.#tail}${text}`;
      this.#tail = shown.slice(shown.lastIndexOf("\n") + 1);
      this.#options.output.write(this.#tail === "" ? shown : `${shown}\n`);
    });
  }

  /** Sets the line above the input line. An empty status uses no line. */
  showStatus(status: string): void {
    if (status === this.#status || !this.#isOpen) return;
    this.#redraw(() => {
      if (this.#tail !== "") this.#options.output.write(`${this.#tail}\n`);
      this.#status = status;
    });
  }

  /**
   * Replaces the message line with a question, and saves the unfinished message. The question is drawn when nothing has
   * been typed for 200 ms. Only a line typed after the question was drawn is an answer.
   */
  ask(question: string): void {
    const isFirst = this.#mode.kind === "message";
    this.#mode = { kind: "waiting", question, keepsDraft: isFirst };
    if (performance.now() - this.#lastKeyAt > QUIET_MS) this.#drawQuestion();
    else this.#quiet.refresh();
  }

  /** Returns to the message line and restores the unfinished message. */
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
      this.#reader.setPrompt(""); // a question has only one answer
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
      this.#reader.write(pending); // the pending text is part of the message
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

  /** Erases the lines below the text, applies a change, and redraws the lines. */
  #redraw(change: () => void): void {
    this.#erase();
    change();
    this.#prompt();
  }

  #prompt(): void {
    if (this.#status !== "") this.#options.output.write(`${this.#status}\n`);
    this.#reader.prompt(true);
  }

  /** Replaces the input line without drawing it, unlike readline's `write`. */
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
    Object.assign(this.#reader, { prevRows: 0 }); // otherwise readline would move up these rows again
  }

  #rowsOf(line: string): number {
    if (line === "") return 0;
    return Math.max(1, Math.ceil(displayWidth(line) / (this.#options.output.columns || 80)));
  }
}

/** How the next typed line is handled. */
type Mode =
  | { readonly kind: "message" }
  /**
   * A question waits to be drawn. Until then, typed lines are messages, or are discarded if another question was drawn.
   */
  | { readonly kind: "waiting"; readonly question: string; readonly keepsDraft: boolean }
  | { readonly kind: "asking" }
  /** An answer was typed. Input is discarded until the next question or `endQuestion`. */
  | { readonly kind: "answered" };

const PROMPT = "› ";
const QUIET_MS = 200;
