import { hasProc } from "../../programs/platform.ts";
import { listFromProc, readFromProc } from "./proc.ts";
import { listFromPs, readFromPs } from "./ps.ts";

/** A snapshot of one process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** An opaque value. Together with the pid, it is unique since the last boot. */
  readonly startTime: string;
  /** True if the process has exited and its parent has not reaped it (zombie). */
  readonly ended: boolean;
  /** True if the process has its own handler for SIGTERM. Always false on systems without `/proc`. */
  readonly handlesTermination: boolean;
}

export function listProcesses(): Promise<ProcessEntry[]> {
  return hasProc ? listFromProc() : listFromPs();
}

/** Returns a process's entry. Returns undefined if the process does not exist. Throws if this cannot be determined. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return hasProc ? readFromProc(pid) : readFromPs(pid);
}
