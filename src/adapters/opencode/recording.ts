import { closeSync, fstatSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createNdjsonReader, toJsonLine } from "../../wire/ndjson.ts";

/**
 * The events of a session in its run directory, one per line. An attach reads the recording, because the server does not
 * store events.
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

  /** Appends a message synchronously, so that the recording is never behind the log. Returns the offset after the message. */
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

/** Reads the messages from an offset. Ignores a truncated last line. */
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
