import { HalyardError } from "../core/error.ts";
import type { Halyard, Session } from "../core/halyard.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";

/**
 * Changes a session. A runtime that cannot change while it runs is ended and goes on as it is to be, which gives
 * another `Session`; nothing is ended in mid-turn.
 */
export async function reopen(
  halyard: Halyard,
  info: SessionInfo,
  changes: SessionChanges,
  resume: (changed: SessionInfo) => Promise<Session>,
): Promise<Session | undefined> {
  try {
    await halyard.update(info.id, changes);
    return undefined;
  } catch (error) {
    const canGoOn = info.resumable || info.turns === 0;
    if (!(error instanceof HalyardError) || error.code !== "unsupported" || !canGoOn) throw error;
    const { message } = error;
    if (info.turn) throw new HalyardError("unsupported", `${message}; wait for its turn to end`);
  }
  await halyard.stop(info.id, "to be changed");
  return resume(await halyard.update(info.id, changes));
}
