import type { StoredEvent } from "../../contracts/store.ts";
import { fromErrorInfo, type HalyardError } from "../../errors/error.ts";
import { sessionEnded } from "../../errors/session-ended.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import type { SessionId } from "../../schema/id.ts";
import type { SessionState } from "../../schema/session/session-state.ts";
import type { Cause } from "../turns/open-turn.ts";

/** How a session ended. */
export interface Ending {
  readonly state: Extract<SessionState, "stopped" | "failed" | "lost">;
  readonly reason: string;
  readonly error?: ErrorInfo;
}

/** Returns the last events of a session's log. `isReported` is true if a turn already reported the same error. */
export function lastEvents({ state, reason, error }: Ending, { isReported = false } = {}) {
  const data = { state, ...(error && { error }) };
  const end: StoredEvent = { type: "system", subtype: "session_stopped", text: reason, data };
  return error && !isReported ? [{ type: "error", ...error } satisfies StoredEvent, end] : [end];
}

/** Returns the final state of a session that ends for this cause. */
export function endingBy(cause: Cause, reason: string): Ending {
  if (cause.status === "cancelled") return { state: "stopped", reason };
  return { state: "failed", reason, error: cause.error };
}

/** Returns the error for calls to a session that ends for this cause. */
export function goneError(id: SessionId, reason: string, cause: Cause): HalyardError {
  if (cause.status === "cancelled") return sessionEnded(id, `has ended (${reason})`);
  return fromErrorInfo(cause.error);
}
