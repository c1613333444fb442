import { exitCodeOf } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";

/** The exit code for a session: that of its own failure, else that of its last turn; 0 if it had none. */
export async function sessionExitCode(halyard: Halyard, info: SessionInfo): Promise<number> {
  const { state, error } = info;
  if (state === "failed" || state === "lost")
    return exitCodeOf({ status: "failed", ...(error && { error }) });
  const isEnd = ({ type }: StreamEvent) => type === "completion";
  const last = info.turns === 0 ? undefined : await findLastEvent(halyard, info, isEnd);
  return last?.type === "completion" ? exitCodeOf(last.outcome) : 0;
}

/** The last event of a session that matches. Searches from the end, because a log may be long. */
export async function findLastEvent(
  halyard: Halyard,
  { id, lastSeq }: SessionInfo,
  matches: (event: StreamEvent) => boolean,
): Promise<StreamEvent | undefined> {
  for (let end = lastSeq; end > 0; end -= STRETCH) {
    let last: StreamEvent | undefined;
    const after = Math.max(0, end - STRETCH);
    for await (const event of halyard.events({ sessionId: id, after, follow: false })) {
      if (event.seq > end) break;
      if (matches(event)) last = event;
    }
    if (last) return last;
  }
  return undefined;
}

/** How many events are read at a time. */
const STRETCH = 500;
