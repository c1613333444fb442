import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";

/**
 * Hears what this process writes to the logs of sessions, once it is durable. As a session has one writer at a time, no
 * event is heard by two processes. Disposing of it waits until all that was heard is passed on.
 */
export interface Audience extends AsyncDisposable {
  /** Called when this process becomes the writer of a session. */
  attend(session: SessionInfo): Listener;
}

/** Hears of events in the order of the log, with the session as it is after them. Nobody waits for it. */
export type Listener = (events: readonly StreamEvent[], session: SessionInfo) => void;
