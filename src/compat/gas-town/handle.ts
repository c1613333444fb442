import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { requireSession } from "../../halyard/find-session.ts";
import { hasEnded } from "../../log/projection.ts";
import type { ProcessInfo } from "../../schema/session/process.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { SessionHandle } from "./agent-runtime.ts";
import type { gasTownNames } from "./names.ts";

/** Converts a session's info to a handle. */
export function toHandle(info: SessionInfo): SessionHandle {
  const { runtime, id, labels, cwd: workDir, createdAt: startedAt, pid, readyAt } = info;
  const now = { ...(pid !== undefined && { pid }), ...(readyAt !== undefined && { readyAt }) };
  const sessionID = labels[SESSION_LABEL] ?? id;
  return { runtime, sessionID, workDir, startedAt, ...now };
}

/** True if a session's process is running. A session without its own process counts as running until it has ended. */
export function isRunning(info: SessionInfo, processes: readonly ProcessInfo[]): boolean {
  if (hasEnded(info)) return false;
  const { id, pid } = info;
  return pid === undefined || processes.some((one) => one.sessionId === id && one.pid === pid);
}

const SESSION_LABEL = "gt.session" satisfies (typeof gasTownNames)[number]["label"];

/**
 * Finds a handle's session by its `GT_SESSION_ID` or its Halyard id. Prefers a session that has not ended, then the
 * newest session. Rejects with `session_not_found` if there is none.
 */
export async function sessionOf(halyard: Halyard, sessionID: string): Promise<SessionInfo> {
  const theirs = await halyard.sessions({ labels: { [SESSION_LABEL]: sessionID } });
  const [newest] = theirs;
  return theirs.find((info) => !hasEnded(info)) ?? newest ?? requireSession(halyard, sessionID);
}

/**
 * Rejects if another session that has not ended uses the same `GT_SESSION_ID`. With `own`, checks only older sessions:
 * if several sessions start at the same time, the oldest keeps the id.
 */
export async function requireUnused(
  halyard: Halyard,
  sessionID: string,
  own?: SessionInfo,
): Promise<void> {
  const theirs = await halyard.sessions({ labels: { [SESSION_LABEL]: sessionID } });
  const other = theirs.find((info) => !hasEnded(info) && (!own || isOlder(info, own)));
  if (other === undefined) return;
  const message = `GT_SESSION_ID ${sessionID} belongs to session ${other.id}, which has not ended. Run "halyard stop ${other.id}", or start without GT_SESSION_ID.`;
  throw new HalyardError("invalid_input", message);
}

function isOlder(one: SessionInfo, other: SessionInfo): boolean {
  return `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}`;
}
