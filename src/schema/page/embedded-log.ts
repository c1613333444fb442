import type { StreamEvent } from "../event.ts";
import type { SessionInfo } from "../session.ts";

/** A session with all events in its log, as `halyard export --html` embeds it in a page. */
export interface EmbeddedLog {
  readonly session: SessionInfo;
  /** All events of the session, in order. */
  readonly events: readonly StreamEvent[];
}

/** The id of the element that contains the log in an exported page. */
export const EMBEDDED_LOG = "halyard-log";
