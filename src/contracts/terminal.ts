import type { Chunk, Exit, Health, ProcessIdentity } from "./host.ts";

/** A program on its own screen. A user may be watching the screen and typing. Disposing kills the program. */
export interface Terminal extends AsyncDisposable {
  readonly identity: ProcessIdentity;
  /** The command that shows the screen to a user. */
  readonly viewCommand: readonly string[];
  /** Returns the current content of the screen. `styles` adds colors and styles to the lines, as SGR escape sequences. */
  look(options?: { readonly styles?: boolean }): Promise<Screen>;
  /**
   * Returns the lines from `from` up to `to`. Line numbers start at the first line that the program wrote. A wrapped
   * line counts once.
   */
  read(from: number, to: number): Promise<readonly string[]>;
  /** True if the program enabled bracketed paste, so that a line break in pasted text does not submit it. */
  readonly marksPastes: boolean;
  /** Pastes text without submitting it. */
  paste(text: string): Promise<void>;
  /** Presses keys in order, by name: `Enter`, `Escape`, `C-u`. */
  press(...keys: readonly string[]): Promise<void>;
  /**
   * Reads a file from the byte offset `from`, which defaults to 0, and follows it while the program runs. The file may
   * not exist yet.
   */
  follow(file: string, options?: { from?: number; signal?: AbortSignal }): AsyncIterable<Chunk>;
  /** Runs an action while no other Halyard process writes to the screen. */
  exclusively<T>(action: () => Promise<T>): Promise<T>;
  /** Resolves when the program has exited. */
  readonly exit: Promise<Exit>;
  health(): Promise<Health>;
  /** Sends SIGTERM to the program and all processes that it started, and SIGKILL after the grace period. Idempotent. */
  terminate(options: { graceMs: number }): Promise<void>;
  /** Disconnects and leaves the program running. */
  detach(): Promise<void>;
}

/** The content of a screen at one point in time. */
export interface Screen {
  /** The lines, without trailing blanks. Colors are included only on request. */
  readonly lines: readonly string[];
  /** The title that the program set. It often describes the current activity of the program. */
  readonly title: string;
  /** The zero-based position of the cursor. */
  readonly cursor: { readonly row: number; readonly column: number };
  /**
   * The number of lines that have scrolled off the top. Undefined while the program uses the alternate screen, which
   * has no scrollback.
   */
  readonly scrolled: number | undefined;
}
