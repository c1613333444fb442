/** How often a stream says that it is still there. */
const HEARTBEAT_MS = 15_000;

const encoder = new TextEncoder();
const heartbeat = encoder.encode(":\n\n");

/** The long answers that are under way, so that closing the server can end them. */
export class Streams {
  readonly #open = new Set<AbortController>();
  readonly #heartbeatMs: number;

  constructor({ heartbeatMs = HEARTBEAT_MS }: { heartbeatMs?: number } = {}) {
    this.#heartbeatMs = heartbeatMs;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * A body made of what `pieces` yields, each taken only when the one before it has gone out: a reader that does not
   * read costs the piece it has, and its place.
   */
  body(
    pieces: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
    { beats = false }: { beats?: boolean } = {},
  ): ReadableStream<Uint8Array> {
    const controller = new AbortController();
    const iterator = pieces(controller.signal)[Symbol.asyncIterator]();
    let timer: NodeJS.Timeout | undefined;
    const leave = () => {
      clearInterval(timer);
      this.#open.delete(controller);
    };
    return new ReadableStream(
      {
        start: (out) => {
          this.#open.add(controller);
          const beat = () => {
            if (out.desiredSize === 0) out.enqueue(heartbeat);
          };
          if (beats) timer = setInterval(beat, this.#heartbeatMs);
        },
        async pull(out) {
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
          controller.abort();
          await iterator.return?.();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Ends all of them without a last word, so that their readers come back for the rest. */
  close(): void {
    for (const controller of this.#open) controller.abort();
  }
}
