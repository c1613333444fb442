import type { SearchHit } from "../../schema/search.ts";
import { occurrences, type Phrase } from "./phrases.ts";
import type { Word } from "./words.ts";

/**
 * Returns the score of an event that contains all phrases. Based on BM25 without term rarity: each further occurrence
 * adds less, and occurrences in long texts count less.
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

/**
 * The weight of each type of event. Messages have the highest weight, because users search for messages more often than
 * for tool output.
 */
const weights = { message: 1, request: 1, tool_call: 0.7, tool_result: 0.5 } as const;

/** The BM25 parameters with their usual values, and the typical length of a message. */
const SATURATION = 1.2;
const SHARE = 0.75;
const USUAL_WORDS = 100;
