import type { Handshake } from "./adapter.ts";
import type { Session } from "./halyard.ts";
import type { StoredEvent } from "./store.ts";

/** The events of a runtime that has become ready. */
export function firstEvents(
  { resumable, ...known }: Handshake,
  opened: Session["opened"],
): StoredEvent[] {
  // After an attach, a runtime may not know that it has a record already.
  const isNews = resumable !== undefined && (resumable || opened !== "attached");
  const data = { ...known, ...(isNews && { resumable }), opened };
  return [
    { type: "system", subtype: "session_started", data },
    { type: "system", subtype: "session_ready" },
  ];
}
