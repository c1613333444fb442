import { z } from "zod";
import { endedStates, sessionStates } from "../constants.ts";

/**
 * The state of a session. `detached`: no process owns the session, and its runtime is running or its turn waits for a
 * usage limit or a budget. `lost`: the owning process died and the runtime is no longer running.
 */
export const SessionState = z.enum(sessionStates);
export type SessionState = z.infer<typeof SessionState>;

/** States of sessions that have not ended. */
export const liveStates: readonly SessionState[] = sessionStates.filter(
  (state) => !endedStates.includes(state),
);
