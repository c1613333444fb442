import { randomBytes } from "node:crypto";

/**
 * The variable that every process we start has in its environment, and hands down to all that it starts:
 * they stay recognisable when their parent is gone or when they left its session and group.
 */
export const MARKER = "HALYARD_RUN";

export const newMarker = (): string => randomBytes(16).toString("hex");

/** What a process carries: which start it belongs to, and the directory that start was recorded in. */
export interface Mark {
  readonly marker: string;
  readonly runDir: string;
}

/** The value of the variable: it leads to the run directory also when that is gone. */
export const toMark = ({ marker, runDir }: Mark): string => `${marker}:${runDir}`;
