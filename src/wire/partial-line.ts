/** The beginning of a line whose end has not come yet. */
interface PartialLine {
  /** How long the line is so far, including what was too much to keep. */
  readonly bytes: number;
  add(bytes: Uint8Array): void;
  /** Gives the line out, good until the next `add`, and starts anew; `undefined` for one over the limit. */
  take(): Buffer | undefined;
}

/**
 * One buffer that doubles: a line of n bytes costs O(n) however small its pieces are, which a list of
 * pieces would not promise, and a caller may reuse the memory it passed in.
 */
export function createPartialLine(maxBytes: number): PartialLine {
  let kept: Buffer = EMPTY;
  let bytes = 0;

  return {
    get bytes() {
      return bytes;
    },
    add(piece) {
      const total = bytes + piece.length;
      if (total > maxBytes) {
        kept = EMPTY;
      } else if (piece.length > 0) {
        if (total > kept.length) kept = grown(kept, bytes, total, maxBytes);
        kept.set(piece, bytes);
      }
      bytes = total;
    },
    take() {
      const line = bytes > maxBytes ? undefined : kept.subarray(0, bytes);
      bytes = 0;
      if (kept.length > SPARE_BYTES) kept = EMPTY;
      return line;
    },
  };
}

const EMPTY = Buffer.alloc(0);

/** Enough for nearly every line; what one huge line needed is given back. */
const SPARE_BYTES = 256 * 1024;

function grown(kept: Buffer, used: number, needed: number, maxBytes: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, 2 * kept.length, 256)));
  kept.copy(larger, 0, 0, used);
  return larger;
}
