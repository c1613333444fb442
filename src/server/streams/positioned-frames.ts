import type { PositionedEvent } from "../../contracts/store.ts";
import { isFault, toProblem } from "../problem.ts";
import type { FrameOptions } from "./event-frames.ts";
import { textPieces } from "./text-pieces.ts";

const encoder = new TextEncoder();

/**
 * Yields the events of all sessions as server-sent events with their position as the id, followed by an `end` event, or
 * by an `error` event if the events cannot be read.
 */
export async function* positionedFrames(
  events: AsyncIterable<PositionedEvent>,
  { signal, basePath, onFault }: Omit<FrameOptions, "types">,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const { position, event } of events) {
      yield* textPieces([`id: ${position}\ndata: ${JSON.stringify(event)}\n\n`]);
    }
    if (!signal.aborted) yield encoder.encode("event: end\ndata: {}\n\n");
  } catch (error) {
    if (isFault(error)) onFault(error);
    yield encoder.encode(`event: error\ndata: ${JSON.stringify(toProblem(error, basePath))}\n\n`);
  }
}

/** Yields each event as a batch of one. */
export async function* positionedPages(
  events: AsyncIterable<PositionedEvent>,
): AsyncGenerator<readonly PositionedEvent[]> {
  for await (const event of events) yield [event];
}
