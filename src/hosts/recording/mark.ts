import { randomBytes } from "node:crypto";

/**
 * Environment variable of every started process. Its descendants inherit it, so that they can be found after their
 * parent has exited or they have left its session and group.
 */
export const MARKER = "HALYARD_RUN";

export const newMarker = (): string => randomBytes(16).toString("hex");

/** Value of the variable: the start that a process belongs to and the run directory of that start. */
export interface Mark {
  readonly marker: string;
  readonly runDir: string;
}

/**
 * Formats the value of the variable. It contains the run directory, so that a process can be assigned even after the
 * directory is removed.
 */
export const toMark = ({ marker, runDir }: Mark): string => `${marker}:${runDir}`;
