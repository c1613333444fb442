import { resolve } from "node:path";
import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import type { SessionInfo } from "../schema/session.ts";

/** A session in a client's list. */
export interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string;
  readonly updatedAt: string;
}

export interface SessionPage {
  readonly sessions: ListedSession[];
  readonly nextCursor?: string;
}

/** How many sessions are listed at once. */
const PAGE = 50;

/** Sessions, newest first; the cursor is the last one of the page before. */
export async function listSessions(
  halyard: Halyard,
  { cwd, cursor }: { cwd?: string | null | undefined; cursor?: string | null | undefined },
): Promise<SessionPage> {
  const all = await halyard.sessions(cwd ? { cwd: resolve(cwd) } : {});
  const after = cursor ? all.findIndex(({ id }) => id === cursor) : -1;
  if (cursor && after === -1)
    throw new HalyardError("invalid_input", "the list has changed; begin it anew");
  const page = all.slice(after + 1, after + 1 + PAGE);
  const last = page.at(-1);
  const hasMore = all.length > after + 1 + PAGE;
  return {
    sessions: page.map(listed),
    ...(hasMore && last && { nextCursor: last.id }),
  };
}

function listed({ id, cwd, name, about, runtime, updatedAt }: SessionInfo): ListedSession {
  const title = name ?? about ?? `${runtime}, nothing said yet`;
  return { sessionId: id, cwd, title, updatedAt };
}
