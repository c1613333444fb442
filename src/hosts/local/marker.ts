import { hasProc } from "../../programs/platform.ts";
import { MARKER, type Mark } from "../recording/mark.ts";
import { readVariable } from "./proc.ts";

/**
 * True if a process has this marker in its environment. Always false on systems without `/proc`. On these systems, a
 * program is found by its group and descendants, and a process that leaves both cannot be found.
 */
export function hasMarker(pid: number, marker: string): boolean {
  return hasProc && readMark(pid)?.marker === marker;
}

/** Returns a process's mark. Returns undefined if the process has none, or if its environment is not accessible. */
export function readMark(pid: number): Mark | undefined {
  const [, marker, runDir] = /^([^:]+):(.+)$/s.exec(readVariable(pid, MARKER) ?? "") ?? [];
  return marker === undefined || runDir === undefined ? undefined : { marker, runDir };
}
