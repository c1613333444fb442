import type { ErrorInfo } from "../schema/error.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionState } from "../schema/session-state.ts";
import { fromErrorInfo, HalyardError } from "./error.ts";
import type { Cause } from "./open-turn.ts";
import type { StoredEvent } from "./store.ts";

/** How a session ended. */
export interface Ending {
  readonly state: Extract<SessionState, "stopped" | "failed" | "lost">;
  readonly reason: string;
  readonly error?: ErrorInfo;
}

/** What a session's log ends with. `isTold`: a turn that ended by the same error has told of it. */
export function lastEvents({ state, reason, error }: Ending, { isTold = false } = {}) {
  const data = { state, ...(error && { error }) };
  const end: StoredEvent = { type: "system", subtype: "session_stopped", text: reason, data };
  return error && !isTold ? [{ type: "error", ...error } satisfies StoredEvent, end] : [end];
}

/** How a session ends that something or somebody has ended. */
export function endingBy(cause: Cause, reason: string): Ending {
  if (cause.status === "cancelled") return { state: "stopped", reason };
  return { state: "failed", reason, error: cause.error };
}

/** Why nothing more can be done with a session that ends by that cause. */
export function goneError(id: SessionId, reason: string, cause: Cause): HalyardError {
  if (cause.status === "cancelled") return new HalyardError("session_stopped", `${id}: ${reason}`);
  return fromErrorInfo(cause.error);
}
