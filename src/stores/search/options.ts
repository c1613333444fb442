import type { SearchOptions } from "../../contracts/store.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** The number of hits if the caller does not limit it. */
export const DEFAULT_LIMIT = 20;

/** True if an event happened in the time that these options select. */
export function isInTime(
  { at }: { readonly at: string },
  { since, until }: SearchOptions,
): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until);
}

/** True if a search with these options includes a session. */
export function isWanted(info: SessionInfo, options: SearchOptions): boolean {
  const { sessions, runtime, cwd, project } = options;
  return (
    (sessions === undefined || sessions.includes(info.id)) &&
    (runtime === undefined || runtime === info.runtime) &&
    (cwd === undefined || cwd === info.cwd) &&
    (project === undefined || project === info.project)
  );
}
