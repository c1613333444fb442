import { resolve } from "node:path";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import type { SessionInfo } from "../schema/session.ts";

/** A session as listed for a client. */
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

const PAGE = 50;

/**
 * Returns one page of the sessions, newest first. The cursor is the id of the last session on the previous page. Throws
 * if that session is no longer in the list.
 */
export async function listSessions(
  halyard: Halyard,
  { cwd, cursor }: { cwd?: string | null | undefined; cursor?: string | null | undefined },
): Promise<SessionPage> {
  const all = await halyard.sessions(cwd ? { cwd: resolve(cwd) } : {});
  const after = cursor ? all.findIndex(({ id }) => id === cursor) : -1;
  if (cursor && after === -1)
    throw new HalyardError(
      "invalid_input",
      "The session that the cursor names is no longer in the list. Request the list again without a cursor.",
    );
  const page = all.slice(after + 1, after + 1 + PAGE);
  const last = page.at(-1);
  const hasMore = all.length > after + 1 + PAGE;
  return {
    sessions: page.map(listed),
    ...(hasMore && last && { nextCursor: last.id }),
  };
}

function listed({ id, cwd, name, about, runtime, updatedAt }: SessionInfo): ListedSession {
  const title = name ?? about ?? `${runtime}, no messages yet`;
  return { sessionId: id, cwd, title, updatedAt };
}
