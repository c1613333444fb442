import type { Session } from "../contracts/halyard.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { EventWindow, FollowOptions, WindowOptions } from "../contracts/read-log.ts";
import type { SearchOptions, SessionFilter } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput, requireWhole } from "../errors/parse-input.ts";
import { isSessionId, requireSessionId } from "../errors/require-id.ts";
import { sessionEnded } from "../errors/session-ended.ts";
import { followBatches } from "../log/follow.ts";
import { storeSource } from "../log/store-source.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import { MAX_HITS, SearchOrder, type SearchResult, TimeRange } from "../schema/search.ts";
import type { SessionInfo } from "../schema/session.ts";
import { reachOwner, requireRecord, requireUnowned } from "../session/recovery/claim.ts";
import { toWindow, WindowRange } from "./event-window.ts";

/** Lists the sessions of the store, newest first. */
export async function querySessions(
  { store }: HalyardParts,
  filter: SessionFilter = {},
): Promise<SessionInfo[]> {
  const { limit = 0, offset = 0, parent } = filter;
  requireWhole("limit", limit);
  requireWhole("offset", offset);
  if (parent !== undefined && !isSessionId(parent))
    throw new HalyardError(
      "invalid_input",
      `parent: "${parent}" is not a session id. Use "ses_" followed by 16 digits or lowercase letters.`,
    );
  return (await store.list(filter)).map(({ info }) => info);
}

/** Reads the last events of a session, or the last events before a given event. */
export async function readWindow(
  parts: HalyardParts,
  text: string,
  options: WindowOptions,
): Promise<EventWindow> {
  const id = requireSessionId(text);
  const { before, limit } = parseInput(WindowRange, options);
  await requireRecord(parts, id);
  return toWindow(await parts.store.readBefore(id, { before, limit }));
}

/** Searches the events of all sessions, or of the sessions in `options`. */
export async function searchEvents(
  { store }: HalyardParts,
  query: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const { limit = 0, before = 0, sessions = [], since, until, order = "newest" } = options;
  parseInput(TimeRange, { since, until });
  parseInput(SearchOrder, order);
  requireWhole("before", before);
  requireWhole("limit", limit);
  if (limit > MAX_HITS)
    throw new HalyardError(
      "invalid_input",
      `limit: ${limit} is larger than the maximum of ${MAX_HITS}. Choose a smaller limit.`,
    );
  for (const id of sessions) requireSessionId(id);
  return store.search(query, options);
}

/** Yields the stored events of a session in batches, then follows its log unless `follow` is false. */
export async function* storedBatches(
  parts: HalyardParts,
  text: string,
  options: FollowOptions,
): AsyncGenerator<readonly StreamEvent[]> {
  const id = requireSessionId(text);
  await requireRecord(parts, id);
  yield* followBatches(storeSource(parts.store, id), options);
}

/**
 * Returns a session that another process runs. Rejects with `session_stopped` if no process runs the session, and with
 * `session_owned` if the process does not accept commands.
 */
export async function reachSession(parts: HalyardParts, id: SessionId): Promise<Session> {
  const record = await requireRecord(parts, id);
  const owner = await reachOwner(parts, record);
  if (owner) return owner.session(id);
  await requireUnowned(parts, record);
  throw sessionEnded(id, record.info.state === "detached" ? "was detached" : "is not running");
}
