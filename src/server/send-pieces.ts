import type { ServerResponse } from "node:http";

/**
 * Straight to the socket. A web stream between the two takes as long as all the rest, and the way it is usually piped
 * keeps a promise for every piece until the reader falls behind for the first time.
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
    out.destroy(); // whoever reads it sees that it was broken off
    onFault(error);
  }
}

/** Resolves once there is room again, or nobody is left to need it. */
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
