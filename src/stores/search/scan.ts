import type { SearchOptions, Store } from "../../contracts/store.ts";
import type { SessionId } from "../../schema/id.ts";
import { inOrder, RANKED_HITS, type SearchHit, type SearchResult } from "../../schema/search.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { toHit } from "./hit.ts";
import { DEFAULT_LIMIT, isInTime, isWanted } from "./options.ts";
import { parsePhrases } from "./phrases.ts";

/** Searches a store that has no index, by reading all its events. */
export async function scanEvents(
  store: Pick<Store, "list" | "readAll">,
  query: string,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { limit = DEFAULT_LIMIT, before = Number.POSITIVE_INFINITY, order } = options;
  const phrases = parsePhrases(query);
  const sessions = new Map<SessionId, SessionInfo>();
  for (const { info } of await store.list())
    if (isWanted(info, options)) sessions.set(info.id, info);
  const hits: SearchHit[] = [];
  let after = 0;
  for (;;) {
    const page = await store.readAll({ after, limit: PAGE });
    for (const positioned of page) {
      after = positioned.position;
      const session = sessions.get(positioned.event.sessionId);
      const isMatch = after < before && isInTime(positioned.event, options);
      const hit = session && isMatch && toHit(positioned, phrases, session, order);
      if (hit) hits.push(hit);
    }
    if (page.length === 0 || after >= before) break;
  }
  const newest = hits.reverse().slice(0, order === "relevance" ? RANKED_HITS : limit);
  return { hits: inOrder(newest, order).slice(0, limit), pending: 0 };
}

const PAGE = 1000;
