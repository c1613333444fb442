import type { StreamEvent } from "../../schema/event.ts";
import type { Api } from "../api/api.ts";

/** The maximum number of results. */
const MOST = 200;

/** The maximum number of events that a local search reads. */
const MOST_EVENTS = 20_000;

/**
 * Returns the `seq` of the last 200 events in a session that contain all words, in log order. If `isLocal` is true, the
 * page reads and searches the log itself, because a read-only page cannot use the server's search.
 */
export async function findInSession(
  api: Api,
  id: string,
  { words, isLocal }: { words: string; isLocal: boolean },
): Promise<readonly number[]> {
  if (isLocal) return findLocally(api, id, words);
  const { hits } = await api.search(words, MOST, { session: id });
  return hits.map(({ seq }) => seq).sort((a, b) => a - b);
}

async function findLocally(api: Api, id: string, text: string): Promise<readonly number[]> {
  const types = "message,tool_call,tool_result,system";
  const { events } = await api.window(id, { after: 0, limit: MOST_EVENTS, types });
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const contains = (event: StreamEvent) => {
    const said = textOf(event).toLowerCase();
    return words.every((word) => said.includes(word));
  };
  return events
    .filter(contains)
    .map(({ seq }) => seq)
    .slice(-MOST);
}

function textOf(event: StreamEvent): string {
  switch (event.type) {
    case "message":
      // The event that starts the turn contains the user's text.
      return event.role === "user" ? "" : event.text;
    case "system":
      return event.subtype === "turn_started" || event.subtype === "turn_steered"
        ? (event.text ?? "")
        : "";
    case "tool_call":
      return typeof event.input === "string" ? event.input : JSON.stringify(event.input);
    case "tool_result":
      return event.output;
    case "delta":
    case "request":
    case "response":
    case "completion":
    case "error":
      return "";
  }
}
