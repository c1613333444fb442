import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { Store } from "../contracts/store.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { directoryBytes } from "../files/directory-bytes.ts";
import { hasEnded } from "../log/projection.ts";
import { endedStates } from "../schema/constants.ts";
import type { SessionId } from "../schema/id.ts";
import {
  ageMs,
  type PrunedSession,
  type PruneOptions,
  type PruneResult,
  type Retention,
} from "../schema/session/retention.ts";
import { liveStates } from "../schema/session/session-state.ts";
import type { SessionInfo } from "../schema/session.ts";
import { isHere } from "../session/recovery/claim.ts";
import { removeRecord } from "./remove-record.ts";

/**
 * Removes old ended sessions, then returns their disk space to the system. Stops after about 2 s of either step and sets
 * `hasMore`. With `dryRun`, only lists the sessions.
 */
export async function prune(
  parts: HalyardParts,
  { dryRun = false, ...retention }: PruneOptions,
): Promise<PruneResult> {
  const { store, clock } = parts;
  const removed: PrunedSession[] = [];
  const problems: string[] = [];
  let freedBytes = 0;
  const deadline = clock.elapsedMs() + REMOVE_MS;
  for await (const info of oldSessions(parts, retention)) {
    try {
      freedBytes += dryRun ? 0 : await remove(parts, info);
    } catch (error) {
      if (!isTaken(error)) problems.push(`${info.id} was not removed: ${reasonOf(error)}`);
      continue;
    }
    removed.push(summaryOf(info));
    if (!dryRun && clock.elapsedMs() > deadline)
      return { removed, freedBytes, problems, hasMore: true };
  }
  if (dryRun) return { removed, freedBytes, problems, hasMore: false };
  const isIdle = (await store.list({ states: liveStates, limit: 1 })).length === 0;
  const space = await store.reclaim?.({ maxMs: RECLAIM_MS, isIdle });
  freedBytes += space?.freedBytes ?? 0;
  return { removed, freedBytes, problems, hasMore: space?.hasMore ?? false };
}

/** How long one call removes sessions, and how long it returns disk space, in milliseconds. */
const REMOVE_MS = 2000;
const RECLAIM_MS = 2000;
const PAGE = 100;

/**
 * Yields the old ended sessions of this machine. Skips the newest `keep` sessions, sessions with open requests, and
 * sessions in the tree of a live session. The caller may remove each session while iterating. Reads the list in pages, so
 * that other sessions' writes are not delayed.
 */
async function* oldSessions(
  parts: HalyardParts,
  { olderThan, keep = 0 }: Retention,
): AsyncGenerator<SessionInfo> {
  const { store, clock } = parts;
  const lastMs = clock.now().getTime() - ageMs(olderThan);
  const updatedBefore = new Date(lastMs + 1).toISOString();
  const newest = await store.list({ states: endedStates, limit: keep });
  const kept = new Set(newest.map(({ info }) => info.id));
  const isInLiveTree = await liveTrees(store);
  for (let offset = 0; ; ) {
    // Does not filter by state, because the store would then sort all sessions to read a page in the order of creation.
    const page = await store.list({ updatedBefore, offset, limit: PAGE });
    for (const record of page) {
      const { info } = record;
      // the session's own machine removes it together with its files
      const isElsewhere = !isHere(parts, record);
      const isKept =
        isElsewhere || !hasEnded(info) || kept.has(info.id) || info.openRequests.length > 0;
      if (!isKept && !(await isInLiveTree(info))) yield info;
      if (await store.find(info.id)) offset++;
    }
    if (page.length < PAGE) return;
    await yieldToOthers();
  }
}

/**
 * Returns a function that checks whether a session shares its topmost ancestor with a live session. If it does, its cost
 * still counts toward the limits of the tree.
 */
async function liveTrees(store: Store): Promise<(info: SessionInfo) => Promise<boolean>> {
  const rootOf = async ({ id, parent }: SessionInfo): Promise<SessionId> => {
    const above = parent && (await store.find(parent))?.info;
    return above ? rootOf(above) : (parent ?? id);
  };
  const live = await store.list({ states: liveStates });
  const roots = new Set(await Promise.all(live.map(({ info }) => rootOf(info))));
  return async (info) => roots.size > 0 && roots.has(await rootOf(info));
}

/** Removes a session with its directories, and returns the size of the directories in bytes. */
async function remove(parts: HalyardParts, info: SessionInfo): Promise<number> {
  const { run, state } = parts.directories(info.id, info);
  const sizes = await Promise.all([run, state].map(directoryBytes));
  const isSame = ({ updatedAt, lastSeq }: SessionInfo) =>
    updatedAt === info.updatedAt && lastSeq === info.lastSeq;
  await removeRecord(parts, info.id, { keepsNative: true, isSame });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** True if another process resumed or removed the session in the meantime, which is not an error. */
function isTaken(error: unknown): boolean {
  const { code } = error instanceof HalyardError ? error : {};
  return code === "session_owned" || code === "session_not_found";
}

function summaryOf(info: SessionInfo): PrunedSession {
  const { id, runtime, name, about, state, updatedAt, lastSeq: events } = info;
  const title = name ?? about;
  return { id, runtime, ...(title !== undefined && { title }), state, updatedAt, events };
}
