import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createOutputRelease, type OutputNeeds } from "../../adapter-kit/release-output.ts";
import { releaseSpace } from "../../files/release-space.ts";
import { createNdjsonReader, toJsonLine } from "../../wire/ndjson.ts";

/**
 * Records a session's events in its run directory, one per line. An attach reads the recording, because the server does
 * not store events.
 */
export class Recording {
  readonly #fd: number;
  #end: number;
  readonly #release: () => void;
  #isClosed = false;

  constructor(runDir: string, needs: OutputNeeds = {}) {
    const file = fileIn(runDir);
    const release = (before: number, range = {}) => releaseSpace(file, { ...range, before });
    this.#release = createOutputRelease(release, needs);
    this.#fd = openSync(fileIn(runDir), "a+", 0o600);
    this.#end = fstatSync(this.#fd).size;
    if (this.#end > 0 && this.#lastByte() !== "\n") this.#end += writeSync(this.#fd, "\n");
  }

  /**
   * Appends a message synchronously, so that the recording is never behind the log. Returns the offset after the
   * message.
   */
  append(message: unknown): number {
    if (!this.#isClosed) {
      this.#end += writeSync(this.#fd, toJsonLine(message));
      this.#release();
    }
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

/** Yields the messages from an offset. Skips released output and a truncated last line. */
export function* readRecording(
  runDir: string,
  from: number,
): Generator<{ readonly message: unknown; readonly end: number }> {
  const reader = createNdjsonReader({ from });
  const file = openSync(fileIn(runDir), "r");
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = from; ; ) {
      const length = readSync(file, chunk, 0, CHUNK_BYTES, at);
      if (length === 0) return;
      at += length;
      for (const item of reader.push(chunk.subarray(0, length)))
        if (item.kind === "message") yield { message: item.value, end: item.end };
    }
  } finally {
    closeSync(file);
  }
}

const CHUNK_BYTES = 1024 * 1024;

function fileIn(runDir: string): string {
  return join(runDir, "events.jsonl");
}
