/**
 * The size of a piece in characters: large enough to amortize a write, small enough to hold for a slow reader. It has at most
 * 192 KiB, because a character has at most three bytes.
 */
const PIECE_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

/**
 * Joins texts and encodes them as UTF-8, piece by piece, also within a long text. Encodes a piece only when the caller asks for
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

/** Does not split a character that consists of two units. */
function endOfPiece(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
