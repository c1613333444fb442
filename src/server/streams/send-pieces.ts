import type { ServerResponse } from "node:http";

/**
 * Writes a stream directly to the socket. A web stream in between would take twice as long, and piping it would keep
 * one promise per chunk in memory.
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
    out.destroy(); // the client detects the incomplete response
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
