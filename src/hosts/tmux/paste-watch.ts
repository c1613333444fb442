import { constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { makeFifo } from "../recording/fifo.ts";

/** Reads a pane's output to detect whether the program has enabled bracketed paste. */
export class PasteWatch {
  /** The shell command for `pipe-pane`. The path is encoded in base64, because tmux expands formats in the command. */
  readonly command: string;
  readonly #stream: Socket;
  #tail = "";
  #areMarked = false;

  static async open(runDir: string): Promise<PasteWatch> {
    const path = join(runDir, "pastes");
    rmSync(path, { force: true });
    await makeFifo(path);
    return new PasteWatch(path);
  }

  constructor(path: string) {
    const name = Buffer.from(path).toString("base64");
    this.command = `exec cat > "$(echo ${name} | base64 -d)"`;
    // Opened read-write, so that opening does not wait for a writer and reading does not end when the writer exits.
    const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#stream = new Socket({ fd: file, readable: true, writable: false });
    this.#stream.setEncoding("latin1").unref();
    this.#stream.on("data", (text) => this.#scan(String(text)));
    this.#stream.on("error", () => {}); // ignored, because pastes are treated as not bracketed without the output
  }

  get areMarked(): boolean {
    return this.#areMarked;
  }

  close(): void {
    this.#stream.destroy();
  }

  #scan(text: string): void {
    const written = `${this.#tail}${text}`;
    for (const [, switched] of written.matchAll(MODES)) this.#areMarked = switched === "h";
    this.#tail = written.slice(-LONGEST);
  }
}

/** Matches a sequence that enables (`h`) or disables (`l`) bracketed paste: DEC private mode 2004, alone or with others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches an escape sequence
const MODES = /\u001b\[\?(?:\d+;)*2004(?:;\d+)*([hl])/g;
const LONGEST = 64;
