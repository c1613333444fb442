import type { ServerResponse } from "node:http";
import { sendPieces } from "./send-pieces.ts";

/** The interval of heartbeats in milliseconds. */
const HEARTBEAT_MS = 15_000;

const heartbeat = new TextEncoder().encode(":\n\n");

/** Yields the chunks of a streamed response. The next chunk is requested after the previous one was written. */
export type Pieces = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

export interface StreamsOptions {
  readonly heartbeatMs?: number | undefined;
  /** Called with the error that aborted a response. */
  readonly onFault: (error: unknown) => void;
}

interface Streamed {
  readonly pieces: Pieces;
  readonly beats: boolean;
}

/** Tracks the streamed responses in progress, so that closing the server can end them. */
export class Streams {
  readonly #open = new Set<AbortController>();
  readonly #bodies = new WeakMap<ReadableStream, Streamed>();
  readonly #heartbeatMs: number;
  readonly #onFault: (error: unknown) => void;

  constructor({ heartbeatMs = HEARTBEAT_MS, onFault }: StreamsOptions) {
    this.#heartbeatMs = heartbeatMs;
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Creates the body of a streamed response. A slow reader holds only one chunk in memory. */
  body(pieces: Pieces, { beats = false }: { beats?: boolean } = {}): ReadableStream<Uint8Array> {
    let iterator: AsyncIterator<Uint8Array> | undefined;
    let leave = (): void => {};
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (out) => {
          const beat = () => {
            if (out.desiredSize === 0) out.enqueue(heartbeat);
          };
          if (!iterator) {
            const opened = this.#begin(pieces, beats ? beat : undefined);
            iterator = opened.pieces[Symbol.asyncIterator]();
            leave = opened.leave;
          }
          try {
            const { done, value } = await iterator.next();
            if (!done) return out.enqueue(value);
            leave();
            out.close();
          } catch (error) {
            leave();
            out.error(error);
          }
        },
        async cancel() {
          leave();
          await iterator?.return?.();
        },
      },
      { highWaterMark: 0 },
    );
    this.#bodies.set(body, { pieces, beats });
    return body;
  }

  /** Writes a streamed response directly to the socket. Returns false if the response is not streamed. */
  send(response: Response, out: ServerResponse): boolean {
    const streamed = response.body && this.#bodies.get(response.body);
    if (!streamed) return false;
    if (out.destroyed) return true; // the client has disconnected
    const { pieces, beats } = streamed;
    const beat = () => {
      if (!out.writableEnded && !out.writableNeedDrain) out.write(heartbeat);
    };
    const opened = this.#begin(pieces, beats ? beat : undefined);
    out.once("close", opened.leave);
    const { "transfer-encoding": _, ...headers } = Object.fromEntries(response.headers);
    if (beats) {
      // Event streams have their own end marker, and the overhead of chunked encoding is larger than a typical event.
      out.useChunkedEncodingByDefault = false;
      out.shouldKeepAlive = false;
    }
    out.writeHead(response.status, headers);
    out.flushHeaders();
    void sendPieces(opened.pieces, out, this.#onFault);
    return true;
  }

  /** Ends all streams without an end event, so that readers reconnect. */
  close(): void {
    for (const controller of this.#open) controller.abort();
  }

  #begin(pieces: Pieces, beat?: () => void): { pieces: AsyncIterable<Uint8Array>; leave(): void } {
    const controller = new AbortController();
    this.#open.add(controller);
    const timer = beat && setInterval(beat, this.#heartbeatMs);
    const leave = () => {
      clearInterval(timer);
      this.#open.delete(controller);
      controller.abort();
    };
    return { pieces: pieces(controller.signal), leave };
  }
}
