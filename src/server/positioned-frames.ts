import type { PositionedEvent } from "../core/store.ts";
import { toProblem } from "./problem.ts";

const encoder = new TextEncoder();

/** Events of all sessions as server-sent events, their position as the id. */
export async function* positionedFrames(
  events: AsyncIterable<PositionedEvent>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const { position, event } of events) {
      yield encoder.encode(`id: ${position}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    if (!signal.aborted) yield encoder.encode("event: end\ndata: {}\n\n");
  } catch (error) {
    yield encoder.encode(`event: error\ndata: ${JSON.stringify(toProblem(error))}\n\n`);
  }
}

/** The same in lists of one, for whoever reads lists. */
export async function* positionedPages(
  events: AsyncIterable<PositionedEvent>,
): AsyncGenerator<readonly PositionedEvent[]> {
  for await (const event of events) yield [event];
}
