/** The states of a session, in a module without zod so that the client stays small. */
export const sessionStates = [
  "starting",
  "idle",
  "running",
  "waiting",
  "detached",
  "stopped",
  "failed",
  "lost",
] as const;

/** States of sessions that have ended; only a resume leaves them. */
export const endedStates: readonly (typeof sessionStates)[number][] = ["stopped", "failed", "lost"];
