import { HalyardError } from "../../core/error.ts";
import type { Health, ProcessIdentity } from "../../core/host.ts";
import { errno } from "../recording/errno.ts";
import { readBootId } from "./proc.ts";
import { hasProc, readProcess } from "./process-table.ts";

/** What tells this process from any other; undefined where there is none. */
export function identify(pid: number): ProcessIdentity | undefined {
  const entry = readProcess(pid);
  return entry && { pid, startTime: entry.startTime, bootId: bootId() };
}

export function ownIdentity(): ProcessIdentity {
  const identity = identify(process.pid);
  if (identity) return identity;
  throw new HalyardError("unsupported", "This system does not tell our own process: mount /proc.");
}

/** Whether that very process still runs. `unknown` where the system does not let us see. */
export function isSameProcess(identity: ProcessIdentity): Health {
  try {
    return isOfThisBoot(identity) ? isRunning(identity) : "dead";
  } catch {
    return "unknown";
  }
}

/**
 * What ran in another boot is gone. That two machines share a directory at once is not supported: the
 * store would not survive it either.
 */
export function isOfThisBoot(identity: ProcessIdentity): boolean {
  return identity.bootId === bootId();
}

/** `isSameProcess` within this boot, which is all that a process we saw alive can need. */
export function isRunning(identity: { pid: number; startTime: string }): Health {
  try {
    const entry = readProcess(identity.pid);
    if (entry === undefined) return isHidden(identity.pid) ? "unknown" : "dead";
    return entry.startTime === identity.startTime && !entry.ended ? "alive" : "dead";
  } catch {
    return "unknown";
  }
}

/** Where there is no `/proc`, start times are dates, and those are never the same in two boots. */
function bootId(): string {
  return hasProc ? readBootId() : "dated";
}

/** Some systems do not show a user the processes of others. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}
