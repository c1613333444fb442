import { z } from "zod";
import { SessionId } from "../../schema/id.ts";
import { SearchResult } from "../../schema/search.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const Search = z.strictObject({
  query: z
    .string()
    .describe(
      'Words, and phrases in double quotes. A hit contains all of them: migration "foreign key".',
    ),
  session_ids: z.array(SessionId).max(100).optional().describe("Search only these sessions."),
  max_hits: z.number().int().positive().max(100).default(20),
});

/** Creates the tool that searches the events of all sessions. */
export function searchTools({ halyard }: McpContext): Tool[] {
  return [
    defineTool("session_search", {
      description:
        "Find what was said in any session, past or running: messages, tool inputs and outputs, questions. The newest hits come first. Read more around a hit with session_events and since_index.",
      input: Search,
      output: SearchResult,
      effect: "reads",
      run: async ({ query, session_ids: sessions, max_hits: limit }) =>
        (await halyard()).search(query, { sessions, limit }),
    }),
  ];
}
