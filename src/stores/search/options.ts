import type { SearchOptions } from "../../contracts/store.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** The default maximum number of hits. */
export const DEFAULT_LIMIT = 20;

/** True if an event happened in the time range of these options. */
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
