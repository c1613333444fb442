import { isDiskFull } from "./disk-full.ts";
import { HalyardError } from "./error.ts";

/** Returns the error for a failed write to Halyard's home: `store_full` if the disk is full, otherwise `store_failed`. */
export function homeError(what: string, cause: unknown): HalyardError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return isDiskFull(cause)
    ? new HalyardError("store_full", `${what}: ${reason}. Free some space and try again.`, {
        cause,
      })
    : new HalyardError(
        "store_failed",
        `${what}: ${reason}. Halyard's home must be a writable directory; set HALYARD_HOME (in the library: the option "home") to choose another one.`,
        { cause },
      );
}
