import type { Halyard } from "../../contracts/halyard.ts";
import { exitCodeOf } from "../../errors/error.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** How a session or its last turn ended. */
export interface SessionResult {
  readonly exitCode: number;
  readonly error?: ErrorInfo;
}

/** Returns the failure of a session, or the result of its last turn. The exit code is 0 if the session had no turn. */
export async function sessionResult(halyard: Halyard, info: SessionInfo): Promise<SessionResult> {
  const { state, error } = info;
  if (state === "failed" || state === "lost")
    return resultOf({ status: "failed", ...(error && { error }) });
  const isEnd = ({ type }: StreamEvent) => type === "completion";
  const last = info.turns === 0 ? undefined : await findLastEvent(halyard, info, isEnd);
  return last?.type === "completion" ? resultOf(last.outcome) : { exitCode: 0 };
}

function resultOf(outcome: Pick<Outcome, "status" | "error">): SessionResult {
  const { error } = outcome;
  return { exitCode: exitCodeOf(outcome), ...(error && { error }) };
}

/** Returns the last event that matches, if any. Searches backward, because a log may be long. */
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
