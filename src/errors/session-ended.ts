import { HalyardError } from "./error.ts";

/** Returns the error for a call that needs a running session. `state` is `has ended` with the reason, if known. */
export function sessionEnded(id: string, state = "has ended"): HalyardError {
  return new HalyardError(
    "session_stopped",
    `Session ${id} ${state}. Run "halyard resume ${id}" to continue it. If it cannot be resumed, start a new session.`,
  );
}
