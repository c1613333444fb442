/**
 * The size of a piece in characters: large enough to amortize a write, small enough to keep in memory for a slow
 * reader. A piece has at most 192 KiB, because a UTF-16 code unit becomes at most three bytes.
 */
const PIECE_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

/**
 * Joins texts and encodes them as UTF-8 in pieces. Splits a long text. Encodes each piece only when the caller requests
 * it.
 */
export function* textPieces(texts: Iterable<string>): Generator<Uint8Array> {
  let text = "";
  for (const next of texts) {
    text += next;
    let start = 0;
    while (text.length - start >= PIECE_CHARACTERS) {
      const end = endOfPiece(text, start + PIECE_CHARACTERS);
      yield encoder.encode(text.slice(start, end));
      start = end;
    }
    if (start > 0) text = text.slice(start);
  }
  if (text !== "") yield encoder.encode(text);
}

/** Returns the end of a piece. Does not split a surrogate pair. */
function endOfPiece(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
