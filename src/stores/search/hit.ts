import type { PositionedEvent } from "../../contracts/store.ts";
import type { SearchHit, SearchOrder } from "../../schema/search.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { occurrences, type Phrase, type WordRange } from "./phrases.ts";
import { scoreOf } from "./rank.ts";
import { searchableText } from "./searchable-text.ts";
import { wordsIn } from "./words.ts";

/**
 * Returns the hit for an event. Returns undefined if the event does not contain all phrases, or if there is no phrase.
 */
export function toHit(
  { position, event }: PositionedEvent,
  phrases: readonly Phrase[],
  { name, about }: Pick<SessionInfo, "name" | "about">,
  order: SearchOrder = "newest",
): SearchHit | undefined {
  const text = searchableText(event);
  if (text === undefined || phrases.length === 0) return undefined;
  const words = wordsIn(text);
  const firsts = phrases.map((phrase) => occurrences(words, phrase)[0]);
  const [first] = firsts;
  if (first === undefined || firsts.includes(undefined)) return undefined;
  const { sessionId, runtime, seq, turnId, at } = event;
  const title = name ?? about;
  const origin = originOf(event);
  return {
    sessionId,
    runtime,
    ...(title !== undefined && { title }),
    position,
    seq,
    ...(turnId !== undefined && { turnId }),
    at,
    ...origin,
    ...snippetOf(text, first, phrases),
    ...(order === "relevance" && { score: scoreOf(words, phrases, origin.type) }),
  };
}

function originOf(event: PositionedEvent["event"]): Pick<SearchHit, "type" | "role" | "tool"> {
  switch (event.type) {
    case "message":
      return { type: event.type, role: event.role };
    case "tool_call":
      return { type: event.type, tool: event.name };
    case "tool_result":
    case "request":
      return { type: event.type };
    case "system":
    case "delta":
    case "response":
    case "completion":
    case "error":
      throw new Error(`An event of type ${event.type} has no searchable text`);
  }
}

/** Returns the text around a match on one line, and the ranges of all phrases in it. */
function snippetOf(
  text: string,
  { start, end }: WordRange,
  phrases: readonly Phrase[],
): Pick<SearchHit, "snippet" | "marks"> {
  const from = start <= BEFORE ? 0 : start - BEFORE;
  const to = Math.max(end, from + LENGTH);
  const line = text
    .slice(from, to)
    .replace(/\p{Surrogate}/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  const snippet = `${from > 0 ? "…" : ""}${line}${to < text.length ? "…" : ""}`;
  const words = wordsIn(snippet);
  const found = phrases.flatMap((phrase) => occurrences(words, phrase));
  return { snippet, marks: merge(found) };
}

/** The length of a snippet, and the length of its part before the match, in characters. */
const LENGTH = 160;
const BEFORE = 40;

/** Sorts ranges and merges overlapping ones. */
function merge(ranges: readonly WordRange[]): WordRange[] {
  const merged: WordRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || range.start > last.end) merged.push(range);
    else merged.splice(-1, 1, { start: last.start, end: Math.max(last.end, range.end) });
  }
  return merged;
}
