import type { Halyard, Session } from "../../contracts/halyard.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Console } from "../console/console.ts";
import { readResumeOptions } from "../start-request.ts";
import { findLastEvent } from "../wait/last-outcome.ts";

/**
 * Returns a session that can receive a message, and resumes it with the keys of this environment if it has ended. If
 * the session's key was rejected, restarts its agent, because the running agent still uses that key.
 */
export async function openForMessage(
  halyard: Halyard,
  info: SessionInfo,
  console: Console,
): Promise<Session> {
  const { id, state } = info;
  const isLive = liveStates.includes(state);
  if (isLive && !(await wasKeyRejected(halyard, info))) return halyard.session(id);
  const options = await readResumeOptions({}, info, console);
  if (isLive) await halyard.stop(id, "restarted with the caller's keys");
  return halyard.resume(id, options);
}

async function wasKeyRejected(halyard: Halyard, info: SessionInfo): Promise<boolean> {
  if (info.state !== "idle" || info.lastOutcome !== "failed" || !info.resumable) return false;
  const last = await findLastEvent(halyard, info, ({ type }) => type === "completion");
  return last?.type === "completion" && last.outcome.error?.code === "not_signed_in";
}
