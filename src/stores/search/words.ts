/** A word of a text: its normalized form and its location in the text. */
export interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a text into words for a search. Letters and digits form words; case and accents are ignored. In scripts
 * without spaces between words, each character is a word.
 */
export function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: found, index } of text.matchAll(isAscii(text) ? ASCII_WORD : WORD)) {
    const range = { start: index, end: index + found.length };
    for (const word of partsOf(normalize(found))) words.push({ word, ...range });
  }
  return words;
}

/** Returns the words of a text in their normalized form, separated by spaces. */
export function joinWords(text: string): string {
  if (!isAscii(text))
    return wordsIn(text)
      .map(({ word }) => word)
      .join(" ");
  return text
    .toLowerCase()
    .replace(ASCII_GAP, " ")
    .replace(LONG_ASCII_WORD, (word) => word.slice(0, MAX_LENGTH))
    .trim();
}

/** Splits a word whose normalized form has several words. For example, `㌀` normalizes to four one-character words. */
function partsOf(word: string): readonly string[] {
  if (word === "") return [];
  return word.length === 1 || isAscii(word) ? [word] : (word.match(WORD) ?? []);
}

function normalize(word: string): string {
  if (isAscii(word)) return word.toLowerCase().slice(0, MAX_LENGTH);
  const plain = word.toLowerCase().normalize("NFKD").replace(SIGN, "").toLowerCase();
  return plain.slice(0, MAX_LENGTH).replace(HALF_CHARACTER, "");
}

function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** The maximum length of a word. The rest of a longer word is ignored, because such words are usually encoded data. */
const MAX_LENGTH = 40;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with control characters
const NOT_ASCII = /[^\u0000-\u007f]/;
const ASCII_WORD = /[a-z0-9]+/gi;
const ASCII_GAP = /[^a-z0-9]+/g;
const LONG_ASCII_WORD = /[a-z0-9]{41,}/g;
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const SIGN = /[^\p{L}\p{N}]/gu;
const HALF_CHARACTER = /\p{Surrogate}/gu;
