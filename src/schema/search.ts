import { z } from "zod";
import { SessionId, TurnId } from "./id.ts";
import { RuntimeName } from "./runtime.ts";

/** A part of a text, from the character at `start` up to the character before `end`. */
const TextRange = z.strictObject({
  start: z.number().int().nonnegative(),
  end: z.number().int().positive(),
});

/** A time in UTC with milliseconds, as in events: sorting the strings sorts the times. */
const EventTime = z.iso.datetime({ precision: 3 });

/** The time range of the events to search. */
export const TimeRange = z.strictObject({
  /** Includes events at this time or later. */
  since: EventTime.optional(),
  /** Includes events before this time. */
  until: EventTime.optional(),
});

/** An event that contains the words of a search. */
export const SearchHit = z.strictObject({
  /** The session of the event. */
  sessionId: SessionId,
  /** The runtime of the session. */
  runtime: RuntimeName,
  /** The name of the session, or the beginning of its first message. */
  title: z.string().optional(),
  /** The position of the event in the combined log of all sessions. Pass it as `before` to get older hits. */
  position: z.number().int().positive(),
  /** The position of the event in the log of its session. */
  seq: z.number().int().positive(),
  /** The turn of the event. */
  turnId: TurnId.optional(),
  /** When the event happened. */
  at: z.iso.datetime(),
  /** The type of the event. */
  type: z.enum(["message", "tool_call", "tool_result", "request"]),
  /** The author of a message. */
  role: z.enum(["assistant", "user"]).optional(),
  /** The name of the tool that was called. */
  tool: z.string().optional(),
  /** The text around the first match, on one line. */
  snippet: z.string(),
  /** The matches in `snippet`. */
  marks: z.array(TextRange),
  /** The relevance of the event, for comparison with other hits. Absent if the order is `newest`. */
  score: z.number().nonnegative().optional(),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** The order of hits: the newest first, or the most relevant first. */
export const SearchOrder = z.enum(["newest", "relevance"]);
export type SearchOrder = z.infer<typeof SearchOrder>;

/** The maximum number of hits of one search. */
export const MAX_HITS = 1000;

/** The number of newest matches that a search by relevance ranks. Ranking more would take too long. */
export const RANKED_HITS = 300;

/** Sorts hits, which are given newest first, in the requested order. Hits with the same score keep their order. */
export function inOrder(hits: readonly SearchHit[], order: SearchOrder = "newest"): SearchHit[] {
  if (order === "newest") return [...hits];
  return [...hits].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
}

/** The result of a search. */
export const SearchResult = z.strictObject({
  /** The hits, in the order of the request. */
  hits: z.array(SearchHit),
  /** The number of events that are not indexed yet and were not searched. 0 if the result is complete. */
  pending: z.number().int().nonnegative(),
});
export type SearchResult = z.infer<typeof SearchResult>;
