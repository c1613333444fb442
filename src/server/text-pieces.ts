/** The size of a piece in characters: large enough to amortize a write, small enough to hold for a slow reader. */
const PIECE_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

/** Joins texts and encodes them as UTF-8, piece by piece. Encodes a piece only when the caller asks for it. */
export function* textPieces(texts: Iterable<string>): Generator<Uint8Array> {
  let text = "";
  for (const next of texts) {
    text += next;
    if (text.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}
