import { closeSync, fstatSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createNdjsonReader, toJsonLine } from "../../wire/ndjson.ts";

/**
 * What a session heard, one message per line, in its run directory. Whoever takes the session up after us reads from
 * it what had been told already, for that cannot be asked of the server.
 */
export class Recording {
  readonly #fd: number;
  #end: number;
  #isClosed = false;

  constructor(runDir: string) {
    this.#fd = openSync(fileIn(runDir), "a+", 0o600);
    this.#end = fstatSync(this.#fd).size;
    if (this.#end > 0 && this.#lastByte() !== "\n") this.#end += writeSync(this.#fd, "\n");
  }

  /** Returns the place just behind the message. Written at once: what the log has, the recording has. */
  append(message: unknown): number {
    if (!this.#isClosed) this.#end += writeSync(this.#fd, toJsonLine(message));
    return this.#end;
  }

  #lastByte(): string {
    const byte = Buffer.alloc(1);
    readSync(this.#fd, byte, 0, 1, this.#end - 1);
    return byte.toString("latin1");
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#fd);
  }
}

/** The messages recorded from that place on. A last line that was cut off is none. */
export function readRecording(runDir: string, from: number): { message: unknown; end: number }[] {
  const bytes = readFileSync(fileIn(runDir));
  const reader = createNdjsonReader({ from });
  return reader
    .push(bytes.subarray(from))
    .flatMap((item) => (item.kind === "message" ? [{ message: item.value, end: item.end }] : []));
}

function fileIn(runDir: string): string {
  return join(runDir, "events.jsonl");
}
