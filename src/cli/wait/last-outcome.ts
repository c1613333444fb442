import type { Halyard } from "../../contracts/halyard.ts";
import { exitCodeOf } from "../../errors/error.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** Returns the exit code for the failure of a session, or for its last turn. Returns 0 if it had no turn. */
export async function sessionExitCode(halyard: Halyard, info: SessionInfo): Promise<number> {
  const { state, error } = info;
  if (state === "failed" || state === "lost")
    return exitCodeOf({ status: "failed", ...(error && { error }) });
  const isEnd = ({ type }: StreamEvent) => type === "completion";
  const last = info.turns === 0 ? undefined : await findLastEvent(halyard, info, isEnd);
  return last?.type === "completion" ? exitCodeOf(last.outcome) : 0;
}

/** Finds the last event that matches. Searches from the end, because a log may be long. */
export async function findLastEvent(
  halyard: Halyard,
  { id, lastSeq }: SessionInfo,
  matches: (event: StreamEvent) => boolean,
): Promise<StreamEvent | undefined> {
  for (let end = lastSeq; end > 0; end -= BATCH_SIZE) {
    let last: StreamEvent | undefined;
    const after = Math.max(0, end - BATCH_SIZE);
    for await (const event of halyard.events(id, { after, follow: false })) {
      if (event.seq > end) break;
      if (matches(event)) last = event;
    }
    if (last) return last;
  }
  return undefined;
}

/** The number of events to read at a time. */
const BATCH_SIZE = 500;
