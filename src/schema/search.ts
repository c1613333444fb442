import { z } from "zod";
import { SessionId, TurnId } from "./id.ts";
import { RuntimeName } from "./runtime.ts";

/** A part of a text, from the character at `start` up to the character before `end`. */
const TextRange = z.strictObject({
  start: z.number().int().nonnegative(),
  end: z.number().int().positive(),
});

/** An event that contains the words of a search. */
export const SearchHit = z.strictObject({
  /** The session of the event. */
  sessionId: SessionId,
  /** The runtime of the session. */
  runtime: RuntimeName,
  /** The name of the session, otherwise what it is about. */
  title: z.string().optional(),
  /** The position of the event among the events of all sessions. Pass it as `before` to get older hits. */
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
  /** The name of the tool of a call. */
  tool: z.string().optional(),
  /** The text around the first match, on one line. */
  snippet: z.string(),
  /** The matches in `snippet`. */
  marks: z.array(TextRange),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** The largest number of hits of one search. */
export const MAX_HITS = 1000;

/** The result of a search. */
export const SearchResult = z.strictObject({
  /** The hits, newest first. */
  hits: z.array(SearchHit),
  /** The number of events that are not indexed yet, and in which nothing was searched. 0 if the result is complete. */
  pending: z.number().int().nonnegative(),
});
export type SearchResult = z.infer<typeof SearchResult>;
