import { HalyardError } from "./error.ts";

/**
 * Returns the error for a call that needs a running session. `state` is the predicate of the message, such as `was
 * detached`. Defaults to `has ended`.
 */
export function sessionEnded(id: string, state = "has ended"): HalyardError {
  return new HalyardError(
    "session_stopped",
    `Session ${id} ${state}. Run "halyard resume ${id}" to continue it. If it cannot be resumed, start a new session.`,
  );
}
