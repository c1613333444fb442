import type { ServerResponse } from "node:http";

/**
 * Writes a stream directly to the socket. A web stream in between doubles the time, and piping it keeps a promise for
 * every chunk until the reader is slow for the first time.
 */
export async function sendPieces(
  pieces: AsyncIterable<Uint8Array>,
  out: ServerResponse,
  onFault: (error: unknown) => void,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (out.destroyed) return;
      if (!out.write(piece)) await drained(out);
    }
    out.end();
  } catch (error) {
    out.destroy(); // the reader detects an incomplete response
    onFault(error);
  }
}

/** Resolves when the socket can accept more data or is closed. */
function drained(out: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      out.off("drain", go);
      out.off("close", go);
      resolve();
    };
    out.on("drain", go);
    out.on("close", go);
    if (out.destroyed) go();
  });
}
