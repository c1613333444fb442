/** The start of a line whose end has not arrived yet. */
interface PartialLine {
  /** The length of the line so far, including discarded bytes. */
  readonly bytes: number;
  add(bytes: Uint8Array): void;
  /**
   * Returns the line, or undefined if the line is over the limit, and starts a new line. The buffer is valid until the
   * next `add`.
   */
  take(): Buffer | undefined;
}

/**
 * Creates an empty partial line. Copies pieces into one buffer that doubles in size, so that a line of n bytes takes
 * O(n) time even in small pieces. The caller may reuse the memory of a piece.
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

/** The buffer size in bytes that is kept between lines. A larger buffer is freed. */
const SPARE_BYTES = 256 * 1024;

function grown(kept: Buffer, used: number, needed: number, maxBytes: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, 2 * kept.length, 256)));
  kept.copy(larger, 0, 0, used);
  return larger;
}
