import { HalyardError } from "./error.ts";

/** Returns the error of a call that needs a running session. The state is `has ended`, followed by the reason if known. */
export function sessionEnded(id: string, state = "has ended"): HalyardError {
  return new HalyardError(
    "session_stopped",
    `Session ${id} ${state}. Run "halyard resume ${id}" to continue it.`,
  );
}
