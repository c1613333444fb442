import { exitCodeOf } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { SessionInfo } from "../schema/session.ts";

/** How the shell hears of a session: of its own failure, else of how its last turn ended; 0 where it had none. */
export async function sessionExitCode(halyard: Halyard, info: SessionInfo): Promise<number> {
  const { state, error } = info;
  if (state === "failed" || state === "lost")
    return exitCodeOf({ status: "failed", ...(error && { error }) });
  const outcome = info.turns === 0 ? undefined : await lastOutcome(halyard, info);
  return outcome ? exitCodeOf(outcome) : 0;
}

/** How the last turn ended that had by then. It is looked for from the end: a log may be long. */
async function lastOutcome(
  halyard: Halyard,
  { id, lastSeq }: SessionInfo,
): Promise<Outcome | undefined> {
  for (let end = lastSeq; end > 0; end -= STRETCH) {
    let last: Outcome | undefined;
    const after = Math.max(0, end - STRETCH);
    for await (const event of halyard.events({ sessionId: id, after, follow: false })) {
      if (event.seq > end) break;
      if (event.type === "completion") last = event.outcome;
    }
    if (last) return last;
  }
  return undefined;
}

/** How many events are looked through at a time. */
const STRETCH = 500;
