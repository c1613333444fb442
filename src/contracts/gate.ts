import type { SessionInfo } from "../schema/session.ts";

/** Admits or rejects new sessions and turns, for limits that span several sessions. */
export interface Gate {
  /** Calls `create` if the session is allowed. Otherwise rejects with the reason. */
  admit<T>(session: SessionInfo, create: () => Promise<T>): Promise<T>;
  /** Rejects with the reason if the session may not start another turn. */
  admitTurn(session: SessionInfo): Promise<void>;
}
