import type { StreamEvent } from "../schema/event.ts";
import { toProblem } from "./problem.ts";

/** What is written at once: enough to be worth a call, and little enough to be kept for a reader that does not read. */
const PIECE_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

/** A batch that many readers are given is told to the first of them, and the others get the same bytes. */
const told = new WeakMap<readonly StreamEvent[], readonly Uint8Array[]>();

/** Events as server-sent events, their `seq` as the id, and a last word where the log has ended. */
export async function* eventFrames(
  batches: AsyncIterable<readonly StreamEvent[]>,
  signal: AbortSignal,
  types?: readonly StreamEvent["type"][],
): AsyncGenerator<Uint8Array> {
  try {
    for await (const batch of batches) {
      const pieces = types
        ? toPieces(batch.filter(({ type }) => types.includes(type)))
        : tell(batch);
      for (const piece of pieces) yield piece;
    }
    if (!signal.aborted) yield encoder.encode("event: end\ndata: {}\n\n");
  } catch (error) {
    yield encoder.encode(`event: error\ndata: ${JSON.stringify(toProblem(error))}\n\n`);
  }
}

function tell(batch: readonly StreamEvent[]): readonly Uint8Array[] {
  const known = told.get(batch);
  if (known) return known;
  const pieces = toPieces(batch);
  told.set(batch, pieces);
  return pieces;
}

function toPieces(batch: readonly StreamEvent[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = "";
  for (const event of batch) {
    text += `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
    if (text.length < PIECE_CHARACTERS) continue;
    pieces.push(encoder.encode(text));
    text = "";
  }
  if (text !== "") pieces.push(encoder.encode(text));
  return pieces;
}
