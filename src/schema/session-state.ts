import { z } from "zod";
import { endedStates, sessionStates } from "./session-states.ts";

/**
 * The state of a session. `detached`: the runtime still runs and no process of ours holds it.
 * `lost`: the owning process died and the runtime is gone.
 */
export const SessionState = z.enum(sessionStates);
export type SessionState = z.infer<typeof SessionState>;

/** States of sessions that have not ended. */
export const liveStates: readonly SessionState[] = sessionStates.filter(
  (state) => !endedStates.includes(state),
);
