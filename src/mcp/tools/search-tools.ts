import { z } from "zod";
import { SessionId } from "../../schema/id.ts";
import { SearchOrder, SearchResult, TimeRange } from "../../schema/search.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const Search = z.strictObject({
  query: z
    .string()
    .describe(
      'Words, and phrases in double quotes. A hit contains all of them: migration "foreign key".',
    ),
  session_ids: z.array(SessionId).max(100).optional().describe("Search only these sessions."),
  since: TimeRange.shape.since.describe(
    "Search only events at or after this time, such as 2026-11-17T00:00:00.000Z.",
  ),
  until: TimeRange.shape.until.describe("Search only events before this time."),
  order: SearchOrder.default("newest").describe(
    "newest returns the newest hits first. relevance ranks the newest 300 hits and returns the best first.",
  ),
  max_hits: z.number().int().positive().max(100).default(20),
});

/** Creates the tool that searches the events of all sessions. */
export function searchTools({ halyard }: McpContext): Tool[] {
  return [
    defineTool("session_search", {
      description:
        "Find words and phrases in any session, past or running: messages, tool inputs and outputs, questions. Read more around a hit with session_events and since_index.",
      input: Search,
      output: SearchResult,
      effect: "reads",
      run: async ({ query, session_ids: sessions, max_hits: limit, since, until, order }) =>
        (await halyard()).search(query, { sessions, limit, since, until, order }),
    }),
  ];
}
