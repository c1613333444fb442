import type { Chunk, Exit, Health, ProcessIdentity } from "./host.ts";

/** A program on a screen of its own, made for people: one may be looking at it, and typing. Disposing of it ends it. */
export interface Terminal extends AsyncDisposable {
  readonly identity: ProcessIdentity;
  /** What to type to see it. */
  readonly viewCommand: readonly string[];
  /** What is on the screen now. */
  look(): Promise<Screen>;
  /** The lines from `from` up to `to`, counted from the first line that the program ever wrote; a wrapped line is one. */
  read(from: number, to: number): Promise<readonly string[]>;
  /** True if the program has asked for pasted text to be marked as such: then a line end in it submits nothing. */
  readonly marksPastes: boolean;
  /** Gives the program a text as if somebody had pasted it; nothing is submitted. */
  paste(text: string): Promise<void>;
  /** Presses keys, one after the other, by their names: `Enter`, `Escape`, `C-u`. */
  press(...keys: readonly string[]): Promise<void>;
  /** What a file holds from that byte on, and what is added to it while the program runs; it may be yet to come. */
  follow(file: string, options?: { from?: number; signal?: AbortSignal }): AsyncIterable<Chunk>;
  /** Does something while nobody else of ours, in whatever process, writes to it. */
  exclusively<T>(action: () => Promise<T>): Promise<T>;
  /** Resolves when the program has ended. */
  readonly exit: Promise<Exit>;
  health(): Promise<Health>;
  /** Asks it to end, waits, and insists: the program, and every process it started. Idempotent. */
  terminate(options: { graceMs: number }): Promise<void>;
  /** Lets go without ending it. */
  detach(): Promise<void>;
}

/** A screen as it was at one moment. */
export interface Screen {
  /** Line by line, without colours and without what is blank at the end of each. */
  readonly lines: readonly string[];
  /** What the program calls itself there, which often says what it is doing. */
  readonly title: string;
  /** Where the cursor stands, counted from 0. */
  readonly cursor: { readonly row: number; readonly column: number };
  /** How many lines have left it at the top; undefined if the program draws on a screen of its own without a history. */
  readonly scrolled: number | undefined;
}
