import { HalyardError } from "./error.ts";
import { isNoRoom } from "./no-room.ts";

/** Why something could not be written in Halyard's home, and what to do about it. */
export function homeError(what: string, cause: unknown): HalyardError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return isNoRoom(cause)
    ? new HalyardError("store_full", `${what}: ${reason}. Free some space and try again`, { cause })
    : new HalyardError(
        "store_failed",
        `${what}: ${reason}. Halyard's home has to be a directory that you can write; HALYARD_HOME may name another`,
        { cause },
      );
}
