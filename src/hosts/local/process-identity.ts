import type { Health, ProcessIdentity } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import { hasProc } from "../../programs/platform.ts";
import { errno } from "../recording/errno.ts";
import { readBootId } from "./proc.ts";
import { readProcess } from "./process-table.ts";

/** Returns a process's identity. Returns undefined if no process has this pid. */
export function identify(pid: number): ProcessIdentity | undefined {
  const entry = readProcess(pid);
  return entry && { pid, startTime: entry.startTime, bootId: bootId() };
}

export function ownIdentity(): ProcessIdentity {
  const identity = identify(process.pid);
  if (identity) return identity;
  throw new HalyardError(
    "unsupported",
    'Cannot identify this process, because the system does not show it. Mount /proc on Linux, or check that "ps" works on other systems, and try again.',
  );
}

/**
 * Returns `alive` if exactly this process is running, otherwise `dead`. Returns `unknown` if the system does not show
 * the process.
 */
export function healthOfProcess(identity: ProcessIdentity): Health {
  try {
    return isOfThisBoot(identity) ? healthInThisBoot(identity) : "dead";
  } catch {
    return "unknown";
  }
}

/**
 * True if the process was started in the current boot of this machine. A process on another machine counts as one of
 * another boot, so two machines must not use a home at the same time.
 */
export function isOfThisBoot(identity: ProcessIdentity): boolean {
  return identity.bootId === bootId();
}

/** Like `healthOfProcess`, but for a process that was started in the current boot. */
export function healthInThisBoot(identity: { pid: number; startTime: string }): Health {
  try {
    const entry = readProcess(identity.pid);
    if (entry === undefined) return hasProcess(identity.pid) ? "unknown" : "dead";
    return entry.startTime === identity.startTime && !entry.ended ? "alive" : "dead";
  } catch {
    return "unknown";
  }
}

/**
 * Returns the boot id. Without `/proc`, a constant suffices, because start times are dates and differ between boots.
 */
function bootId(): string {
  return hasProc ? readBootId() : "dated";
}

/** True if a process has this pid. Needed because some systems hide other users' processes in the process table. */
export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}
