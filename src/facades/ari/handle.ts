import { HalyardError } from "../../core/error.ts";
import { requireSession } from "../../core/find-session.ts";
import type { Halyard } from "../../core/halyard.ts";
import { hasEnded } from "../../core/projection.ts";
import type { gasTownNames } from "../../schema/gas-town.ts";
import type { ProcessInfo } from "../../schema/process.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { SessionHandle } from "./agent-runtime.ts";

/** A session as any process can take hold of it. */
export function toHandle(info: SessionInfo): SessionHandle {
  const { runtime, id, labels, cwd: workDir, createdAt: startedAt, pid, readyAt } = info;
  const now = { ...(pid !== undefined && { pid }), ...(readyAt !== undefined && { readyAt }) };
  const sessionID = labels[SESSION_LABEL] ?? id;
  return { runtime, sessionID, workDir, startedAt, ...now };
}

/** One that shares its process, or has none of its own, is as alive as its record says. */
export function isRunning(info: SessionInfo, processes: readonly ProcessInfo[]): boolean {
  if (hasEnded(info)) return false;
  const { id, pid } = info;
  return pid === undefined || processes.some((one) => one.sessionId === id && one.pid === pid);
}

const SESSION_LABEL = "gt.session" satisfies (typeof gasTownNames)[number]["label"];

/** The session of a handle: by the caller's `GT_SESSION_ID`, of which the one that runs counts first, or by our id. */
export async function sessionOf(halyard: Halyard, sessionID: string): Promise<SessionInfo> {
  const theirs = await halyard.sessions({ labels: { [SESSION_LABEL]: sessionID } });
  const [newest] = theirs;
  return theirs.find((info) => !hasEnded(info)) ?? newest ?? requireSession(halyard, sessionID);
}

/**
 * Rejects if a session that has not ended goes by that `GT_SESSION_ID`. With `own`, only older sessions count: of several
 * that start at once, the oldest keeps the id.
 */
export async function requireUnused(
  halyard: Halyard,
  sessionID: string,
  own?: SessionInfo,
): Promise<void> {
  const theirs = await halyard.sessions({ labels: { [SESSION_LABEL]: sessionID } });
  const other = theirs.find((info) => !hasEnded(info) && (!own || isOlder(info, own)));
  if (other === undefined) return;
  const message = `GT_SESSION_ID ${sessionID} belongs to session ${other.id}, which has not ended. Stop it, or start without GT_SESSION_ID.`;
  throw new HalyardError("invalid_input", message);
}

function isOlder(one: SessionInfo, other: SessionInfo): boolean {
  return `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}`;
}
