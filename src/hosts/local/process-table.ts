import { listFromProc, readFromProc } from "./proc.ts";
import { listFromPs, readFromPs } from "./ps.ts";

/** A snapshot of one process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** Together with the pid unique since the last boot. Opaque. */
  readonly startTime: string;
  /** True if the process has exited and its parent has not reaped it (zombie). */
  readonly ended: boolean;
}

export function listProcesses(): Promise<ProcessEntry[]> {
  return hasProc ? listFromProc() : listFromPs();
}

/** Returns a process; undefined if it does not exist. Throws if this cannot be determined. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return hasProc ? readFromProc(pid) : readFromPs(pid);
}

export const hasProc = process.platform === "linux";
