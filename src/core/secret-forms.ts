import { withoutGaps } from "./text-gaps.ts";

/** Shorter secrets would hide ordinary words. */
export const SHORTEST_SECRET = 6;

/**
 * Returns the texts by which a secret can be read: as it is, JSON-escaped, URL-encoded, and in hexadecimal and base64,
 * also inside of a longer text that was encoded. They have no gaps: texts are searched without theirs. Empty for a secret
 * that is too short.
 */
export function formsOf(secret: string): string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const bytes = Buffer.from(secret, "utf8");
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const everyByte = hex.replace(/../g, "%$&");
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...urlEncoded(secret).flatMap((url) => [
      url,
      url.replace(/%../g, (code) => code.toLowerCase()),
    ]),
    everyByte,
    everyByte.toUpperCase(),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
  const whole = forms.map((form) => withoutGaps(form).replace(FILLER, ""));
  return [...new Set(whole)].filter(({ length }) => length >= SHORTEST_SECRET);
}

/** Programs do not agree on the characters that need no encoding: as JavaScript, Python and forms have them. */
function urlEncoded(secret: string): string[] {
  const usual = encodeURIComponent(secret);
  const strict = usual.replace(
    /[!'()*]/g,
    (mark) => `%${Buffer.from(mark).toString("hex").toUpperCase()}`,
  );
  const form = new URLSearchParams({ "": secret }).toString().slice(1);
  return [usual, strict, strict.replaceAll("%2F", "/"), form];
}

/** After a line break these belong to the gap. */
const FILLER = /^[ \t>|│]+/;

/**
 * The base64 characters that depend on the secret alone if it begins at that byte of a group of three: the first and the
 * last one may also depend on its neighbors.
 */
function base64At(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return encoded.slice(first, end);
}
