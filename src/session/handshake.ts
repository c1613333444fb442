import type { Handshake } from "../contracts/adapter.ts";
import type { Session } from "../contracts/halyard.ts";
import type { StoredEvent } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Throws if the runtime continued another conversation than the requested one. */
export function requireSameConversation(
  { runtime, runtimeSessionId: expected }: SessionInfo,
  id: string | undefined,
): void {
  if (expected === undefined || id === expected) return;
  const message = `${runtime} did not continue ${expected}; it started ${id} instead`;
  throw new HalyardError("runtime_session_not_found", message);
}

/** Returns the events of a runtime that has become ready. */
export function firstEvents(
  { resumable, ...known }: Handshake,
  opened: Session["opened"],
): StoredEvent[] {
  // After an attach, a runtime may not know that it already has a record.
  const isKnown = resumable !== undefined && (resumable || opened !== "attached");
  const data = { ...known, ...(isKnown && { resumable }), opened };
  return [
    { type: "system", subtype: "session_started", data },
    { type: "system", subtype: "session_ready" },
  ];
}
