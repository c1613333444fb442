import { z } from "zod";
import { SessionId } from "../../schema/id.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { MAX_HITS, SearchOrder, SearchResult, TimeRange } from "../../schema/search.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

const SearchQuery = z.strictObject({
  /** Words, and phrases in double quotes. A hit contains all of them. */
  q: z.string(),
  /** Searches only these sessions. Can be repeated. */
  session: z
    .preprocess((given) => (typeof given === "string" ? [given] : given), z.array(SessionId))
    .exactOptional(),
  runtime: RuntimeName.exactOptional(),
  cwd: z.string().exactOptional(),
  project: z.string().exactOptional(),
  limit: z.coerce.number().int().nonnegative().max(MAX_HITS).exactOptional(),
  /** Returns only hits before this position, for the next page. */
  before: z.coerce.number().int().nonnegative().exactOptional(),
  /** Searches only events at this time or later, such as `2026-11-17T00:00:00.000Z`. */
  since: TimeRange.shape.since,
  /** Searches only events before this time. */
  until: TimeRange.shape.until,
  /**
   * `newest` returns the newest hits first; `relevance` returns the most relevant of the newest 300 hits first.
   * Defaults to `newest`.
   */
  order: SearchOrder.exactOptional(),
});

/** Routes that search the events of all sessions. */
export const searchRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/search",
    operationId: "search",
    summary:
      "Finds messages, tool inputs and outputs, and questions by their words, newest or most relevant first.",
    query: SearchQuery,
    responses: { 200: json("The hits.", SearchResult) },
    handle: async ({ server, query: { q, session: sessions, ...options } }) =>
      respond(SearchResult, await server.halyard.search(q, { ...options, sessions })),
  }),
];
