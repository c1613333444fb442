import type { HookPayload } from "../schema/hook.ts";

/** Returns a valid hook payload. */
export function samplePayload(changes: Partial<HookPayload> = {}): HookPayload {
  return {
    event: "SessionStart",
    runtime: "fake",
    session_id: "ses_0000000000000001",
    workdir: "/work",
    rig: null,
    role: null,
    bead: null,
    actor: null,
    timestamp: "2026-01-01T00:00:00.000Z",
    data: { seq: 1 },
    ...changes,
  };
}
