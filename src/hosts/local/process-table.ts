import { listFromProc, readFromProc } from "./proc.ts";
import { listFromPs, readFromPs } from "./ps.ts";

/** One process of this machine, as it was when looked at. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** With the pid it tells the process from all others since the machine was started; opaque. */
  readonly startTime: string;
  /** It has ended, and only its parent has yet to hear of it. */
  readonly ended: boolean;
}

export function listProcesses(): Promise<ProcessEntry[]> {
  return hasProc ? listFromProc() : listFromPs();
}

/** Undefined where there is no such process; throws where that cannot be told. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return hasProc ? readFromProc(pid) : readFromPs(pid);
}

export const hasProc = process.platform === "linux";
