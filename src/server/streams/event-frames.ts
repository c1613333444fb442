import type { StreamEvent } from "../../schema/event.ts";
import { isFault, toProblem } from "../problem.ts";
import { textPieces } from "./text-pieces.ts";

/**
 * How much of a batch is encoded in advance and shared by its readers, in characters. The rest of a larger batch is
 * encoded separately for each reader while it reads, so that a slow reader never holds a whole batch of large events
 * in memory.
 */
const SHARED_CHARACTERS = 1024 * 1024;

const encoder = new TextEncoder();

/** The start of a batch, which is encoded once for all readers. */
interface EncodedBatch {
  readonly pieces: readonly Uint8Array[];
  /** The events that `pieces` does not contain. */
  readonly rest: readonly StreamEvent[];
}

const encodedBatches = new WeakMap<readonly StreamEvent[], EncodedBatch>();

export interface FrameOptions {
  readonly signal: AbortSignal;
  /** The path prefix of the server, for the type of an error. */
  readonly basePath: string;
  /** Called with an unexpected error, which the `error` event does not contain. */
  readonly onFault: (error: unknown) => void;
  /** Yields only events of these types. Defaults to all types. */
  readonly types?: readonly StreamEvent["type"][] | undefined;
}

/**
 * Yields events as server-sent events with `seq` as the id, followed by an `end` event when the log ends, or by an
 * `error` event if the log cannot be read. Ends without an `end` event if the signal is aborted.
 */
export async function* eventFrames(
  batches: AsyncIterable<readonly StreamEvent[]>,
  { signal, basePath, onFault, types }: FrameOptions,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const batch of batches) {
      if (types) {
        yield* textPieces(framesOf(batch.filter(({ type }) => types.includes(type))));
        continue;
      }
      const { pieces, rest } = encode(batch);
      yield* pieces;
      yield* textPieces(framesOf(rest));
    }
    if (!signal.aborted) yield encoder.encode("event: end\ndata: {}\n\n");
  } catch (error) {
    if (isFault(error)) onFault(error);
    yield encoder.encode(`event: error\ndata: ${JSON.stringify(toProblem(error, basePath))}\n\n`);
  }
}

function encode(batch: readonly StreamEvent[]): EncodedBatch {
  const known = encodedBatches.get(batch);
  if (known) return known;
  const frames: string[] = [];
  let length = 0;
  for (const frame of framesOf(batch)) {
    length += frame.length;
    if (length > SHARED_CHARACTERS) break;
    frames.push(frame);
  }
  const encoded = { pieces: [...textPieces(frames)], rest: batch.slice(frames.length) };
  encodedBatches.set(batch, encoded);
  return encoded;
}

function* framesOf(events: readonly StreamEvent[]): Generator<string> {
  for (const event of events) yield `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
}
