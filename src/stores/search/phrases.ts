import { HalyardError } from "../../errors/error.ts";
import { type Word, wordsIn } from "./words.ts";

/** Words that must follow each other in a text. */
export type Phrase = readonly string[];

/**
 * Parses the text of a search: words, and phrases in double quotes. All characters except letters and digits separate
 * words. Words without a space between them, as in `src/index.ts`, form a phrase. Throws `invalid_input` if the text is too long.
 */
export function parsePhrases(query: string): Phrase[] {
  if (query.length > MAX_LENGTH)
    throw new HalyardError(
      "invalid_input",
      `The search text has ${query.length} characters. Shorten it to ${MAX_LENGTH} or fewer.`,
    );
  return Array.from(query.matchAll(/"([^"]*)"?|[^\s"]+/g), ([whole, quoted]) =>
    wordsIn(quoted ?? whole).map(({ word }) => word),
  ).filter((phrase) => phrase.length > 0);
}

/** The maximum length of a search text, in characters. */
const MAX_LENGTH = 1000;

/** Returns all occurrences of a phrase in a text, in order. */
export function occurrences(words: readonly Word[], phrase: Phrase): WordRange[] {
  const [first] = phrase;
  const found: WordRange[] = [];
  for (const [index, { word, start }] of words.entries()) {
    if (word !== first) continue;
    const last = words[index + phrase.length - 1];
    if (last && phrase.every((each, offset) => words[index + offset]?.word === each))
      found.push({ start, end: last.end });
  }
  return found;
}

/** A range of characters in a text. */
export interface WordRange {
  readonly start: number;
  readonly end: number;
}
