import type { SessionInfo } from "../schema/session.ts";

/** Says what may be begun: for limits that hold over several sessions. */
export interface Gate {
  /** Has a new session put on record, or rejects with the reason why there may not be another. */
  admit<T>(session: SessionInfo, create: () => Promise<T>): Promise<T>;
  /** Rejects with the reason where the session may not have a further turn. */
  admitTurn(session: SessionInfo): Promise<void>;
}
