import { randomBytes } from "node:crypto";

/**
 * The environment variable that marks every started process. Descendants inherit it, so that they can be found after
 * their parent has exited, or after they have left its session and group.
 */
export const MARKER = "HALYARD_RUN";

export const newMarker = (): string => randomBytes(16).toString("hex");

/** The value of the variable `MARKER`: the id of the start to which the process belongs, and the run directory. */
export interface Mark {
  readonly marker: string;
  readonly runDir: string;
}

/**
 * Formats the value of the variable `MARKER`. The value contains the run directory, so that a process can be assigned to
 * its session even after the directory is removed.
 */
export const toMark = ({ marker, runDir }: Mark): string => `${marker}:${runDir}`;
