import { withoutGaps } from "./text-gaps.ts";

/** The length of the shortest secret that is redacted. Shorter ones would match ordinary words. */
export const SHORTEST_SECRET = 6;

/**
 * Returns the encodings in which a secret can appear: plain, JSON-escaped, URL-encoded, hexadecimal and base64,
 * including as part of a longer encoded text. The encodings contain no gaps, because gaps are removed from a text
 * before the search. Returns an empty list for a secret that is too short.
 */
export function formsOf(secret: string): string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const bytes = Buffer.from(secret, "utf8");
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const everyByte = hex.replace(/../g, "%$&");
  const forms = [
    secret,
    ...jsonEscaped(secret),
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

/** Returns the secret as escaped by JavaScript, PHP, Go, Gson and Python, and as escaped twice by JavaScript. */
function jsonEscaped(secret: string): string[] {
  const usual = JSON.stringify(secret).slice(1, -1);
  const escapeAll = (text: string, unsafe: RegExp) =>
    text.replace(unsafe, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [
    usual,
    usual.replaceAll("/", "\\/"),
    escapeAll(usual, /[<>&]/g),
    escapeAll(usual, /[<>&='+]/g),
    escapeAll(usual, /[<>&=']/g),
    escapeAll(usual, /[\u0080-\uffff]/g),
    JSON.stringify(usual).slice(1, -1),
  ];
}

/** Returns the secret as URL-encoded by JavaScript, Python and HTML forms. Each leaves different characters unencoded. */
function urlEncoded(secret: string): string[] {
  const usual = encodeURIComponent(secret);
  const strict = usual.replace(
    /[!'()*]/g,
    (mark) => `%${Buffer.from(mark).toString("hex").toUpperCase()}`,
  );
  const form = new URLSearchParams({ "": secret }).toString().slice(1);
  return [usual, strict, strict.replaceAll("%2F", "/"), form];
}

/** Characters that belong to a gap if they follow a line break. */
const FILLER = /^[ \t>|│]+/;

/**
 * Returns the base64 characters that depend only on the secret if it starts at this byte of a three-byte group. Omits
 * the first and last characters if they also depend on neighboring bytes.
 */
function base64At(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return encoded.slice(first, end);
}
