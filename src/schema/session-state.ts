import { z } from "zod";

/**
 * Where a session is in its life. `detached`: the runtime lives on and nobody here holds it.
 * `lost`: whoever ran it died and took the runtime along.
 */
export const SessionState = z.enum([
  "starting",
  "idle",
  "running",
  "waiting",
  "detached",
  "stopped",
  "failed",
  "lost",
]);
export type SessionState = z.infer<typeof SessionState>;

/** Of sessions that have not ended. */
export const liveStates: readonly SessionState[] = SessionState.exclude([
  "stopped",
  "failed",
  "lost",
]).options;
