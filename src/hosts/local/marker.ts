import { randomBytes } from "node:crypto";
import { hasVariable } from "./proc.ts";
import { hasProc } from "./process-table.ts";

/**
 * The variable that every process we start has in its environment, and hands down to all that it starts:
 * they stay recognisable when their parent is gone or when they left its session and group.
 */
export const MARKER = "HALYARD_RUN";

export const newMarker = (): string => randomBytes(16).toString("hex");

/**
 * Only Linux shows the environment of a process reliably. Elsewhere the group and the descendants of the
 * program must do, and what outlives it in a session of its own stays.
 */
export function carriesMarker(pid: number, marker: string): boolean {
  return hasProc && hasVariable(pid, MARKER, marker);
}
