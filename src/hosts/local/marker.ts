import { MARKER, type Mark } from "../recording/mark.ts";
import { readVariable } from "./proc.ts";
import { hasProc } from "./process-table.ts";

/**
 * Only Linux shows the environment of a process reliably. Elsewhere the group and the descendants of the
 * program must do, and what outlives it in a session of its own stays.
 */
export function carriesMarker(pid: number, marker: string): boolean {
  return hasProc && readMark(pid)?.marker === marker;
}

/** Undefined for a process that carries none, or that we may not look at. */
export function readMark(pid: number): Mark | undefined {
  const [, marker, runDir] = /^([^:]+):(.+)$/s.exec(readVariable(pid, MARKER) ?? "") ?? [];
  return marker === undefined || runDir === undefined ? undefined : { marker, runDir };
}
