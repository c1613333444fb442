import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";

/**
 * Receives the events that this process appends to session logs, after they are durable. A session has one writer at a
 * time, so only one process receives each event. Disposing waits until all received events are handled.
 */
export interface Audience extends AsyncDisposable {
  /** Called when this process becomes the writer of a session. Returns the listener for its events. */
  attend(session: SessionInfo): Listener;
}

/** Called with new events in log order, and with the session's state after them. The return value is ignored. */
export type Listener = (events: readonly StreamEvent[], session: SessionInfo) => void;
