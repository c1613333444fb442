import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Environment } from "../../config/paths.ts";
import { type Colors, createColors } from "../text/colors.ts";

/** Writes text to a console, a pipe or a file. */
export interface Sink {
  /** Resolves when the stream accepts more data. Text is dropped if the reader has closed the stream. */
  write(text: string): Promise<void>;
  /** Aborted when a write fails. The reason is the error. A closed pipe does not fail the command. */
  readonly closed: AbortSignal;
  readonly isTTY: boolean;
  /** True for a console with colors, on which Markdown is rendered. */
  readonly isRich: boolean;
  readonly colors: Colors;
  readonly columns: number;
}

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Creates a sink that writes to a stream. Variables such as NO_COLOR in `env` enable or disable colors. */
export function createSink(stream: OutputStream, env: Environment): Sink {
  const closing = new AbortController();
  stream.on("error", (error) => closing.abort(error));
  const isTTY = stream.isTTY === true;
  const colors = createColors(isTTY, env);
  return {
    async write(text) {
      if (text === "" || closing.signal.aborted) return;
      const onWritten = (error?: Error | null) => error && closing.abort(error);
      if (stream.write(text, onWritten)) return;
      await once(stream, "drain", { signal: closing.signal }).catch(() => {}); // rejects if the stream is closed
    },
    closed: closing.signal,
    isTTY,
    isRich: isTTY && colors.isColorSupported,
    colors,
    get columns() {
      return stream.columns || 100;
    },
  };
}

/** True if the reader closed the pipe, as `head` does. A closed pipe is not an error. */
export function isBrokenPipe(error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  return error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
}
