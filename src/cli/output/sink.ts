import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Environment } from "../../config/paths.ts";
import { type Colors, createColors } from "./colors.ts";

/** Somewhere to write: a terminal, a pipe or a file. */
export interface Sink {
  /** Resolves when there is room for more. What is written to a reader that has gone away is dropped. */
  write(text: string): Promise<void>;
  /** Aborted once nobody reads any more; the reason says whether that was a fault. */
  readonly closed: AbortSignal;
  readonly isTerminal: boolean;
  /** True for a console with colors: markdown is drawn there. */
  readonly isRich: boolean;
  readonly colors: Colors;
  readonly columns: number;
}

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export function createSink(stream: OutputStream, env: Environment): Sink {
  const closing = new AbortController();
  stream.on("error", (error) => closing.abort(error));
  const isTerminal = stream.isTTY === true;
  const colors = createColors(isTerminal, env);
  return {
    async write(text) {
      if (text === "" || closing.signal.aborted) return;
      const onWritten = (error?: Error | null) => error && closing.abort(error);
      if (stream.write(text, onWritten)) return;
      await once(stream, "drain", { signal: closing.signal }).catch(() => {}); // nobody reads any more
    },
    closed: closing.signal,
    isTerminal,
    isRich: isTerminal && colors.isColorSupported,
    colors,
    get columns() {
      return stream.columns || 100;
    },
  };
}

/** Whether whoever reads has just had enough, as `head` does, and nothing is wrong. */
export function isBrokenPipe(error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  return error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
}
