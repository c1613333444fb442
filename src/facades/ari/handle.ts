import { hasEnded } from "../../core/projection.ts";
import type { ProcessInfo } from "../../schema/process.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { SessionHandle } from "./agent-runtime.ts";

/** A session as any process can take hold of it. */
export function toHandle(info: SessionInfo): SessionHandle {
  const { runtime, id: sessionID, cwd: workDir, createdAt: startedAt, pid, readyAt } = info;
  const now = { ...(pid !== undefined && { pid }), ...(readyAt !== undefined && { readyAt }) };
  return { runtime, sessionID, workDir, startedAt, ...now };
}

/** One that shares its process, or has none of its own, is as alive as its record says. */
export function isRunning(info: SessionInfo, processes: readonly ProcessInfo[]): boolean {
  if (hasEnded(info)) return false;
  const { id, pid } = info;
  return pid === undefined || processes.some((one) => one.sessionId === id && one.pid === pid);
}
