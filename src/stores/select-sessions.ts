import type { SessionFilter, SessionRecord } from "../contracts/store.ts";
import type { SessionInfo } from "../schema/session.ts";

/**
 * Returns the sessions that match a filter, newest first. If two sessions have the same creation time, the later one in
 * the list counts as newer.
 */
export function selectSessions(
  records: readonly SessionRecord[],
  filter: SessionFilter,
): SessionRecord[] {
  return records
    .toReversed()
    .filter(({ info }) => matches(info, filter))
    .sort((a, b) => compare(b.info.createdAt, a.info.createdAt))
    .slice(filter.offset)
    .slice(0, filter.limit);
}

function matches(info: SessionInfo, filter: SessionFilter): boolean {
  const { states, runtime, cwd, project, parent, runtimeSessionId, labels = {} } = filter;
  const { updatedBefore } = filter;
  return (
    (updatedBefore === undefined || info.updatedAt < updatedBefore) &&
    (states === undefined || states.includes(info.state)) &&
    (runtime === undefined || runtime === info.runtime) &&
    (cwd === undefined || cwd === info.cwd) &&
    (project === undefined || project === info.project) &&
    (parent === undefined || parent === info.parent) &&
    (runtimeSessionId === undefined || runtimeSessionId === info.runtimeSessionId) &&
    Object.entries(labels).every(([name, value]) => info.labels[name] === value)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
