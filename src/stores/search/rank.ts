import type { SearchHit } from "../../schema/search.ts";
import { occurrences, type Phrase } from "./phrases.ts";
import type { Word } from "./words.ts";

/**
 * Returns the score of an event that contains all phrases, by the formula BM25 without the rarity of the phrases: an occurrence
 * counts less than the one before it, and less in a long text.
 */
export function scoreOf(
  words: readonly Word[],
  phrases: readonly Phrase[],
  type: SearchHit["type"],
): number {
  const length = 1 - SHARE + (SHARE * words.length) / USUAL_WORDS;
  const sum = phrases.reduce((total, phrase) => {
    const count = occurrences(words, phrase).length;
    return total + (count * (SATURATION + 1)) / (count + SATURATION * length);
  }, 0);
  return sum * weights[type];
}

/** The weight of each type of event. Messages count most, because people search for messages more often than for tool output. */
const weights = { message: 1, request: 1, tool_call: 0.7, tool_result: 0.5 } as const;

/** The parameters of BM25, with their usual values, and the length of a usual message. */
const SATURATION = 1.2;
const SHARE = 0.75;
const USUAL_WORDS = 100;
