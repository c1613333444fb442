import type { SessionId } from "../schema/id.ts";
import type { SavedContent, SavedSession } from "../schema/workspace/saved-session.ts";

/** Stores the files and conversations that another machine needs to continue a session. */
export interface SavedSessions {
  /** Stores bytes of the saved session that will replace `replacing`. Skips pieces that `replacing` contains. */
  put(id: SessionId, bytes: Buffer, replacing: SavedRevision | undefined): Promise<SavedContent>;
  /** Returns stored bytes. */
  get(id: SessionId, content: SavedContent): Promise<Buffer>;
  /** Returns the saved session, or undefined if there is none. */
  read(id: SessionId): Promise<SavedRevision | undefined>;
  /**
   * Replaces the saved session and deletes the pieces that are no longer used. Rejects with `session_owned` if another
   * process has replaced the saved session since it was read.
   */
  write(
    id: SessionId,
    saved: SavedSession,
    replacing: SavedRevision | undefined,
  ): Promise<SavedRevision>;
  /** Deletes everything that is stored for a session. */
  remove(id: SessionId): Promise<void>;
}

/** A saved session and its version. */
export interface SavedRevision {
  readonly saved: SavedSession;
  readonly revision: number;
  /** The names of stored pieces that the saved session does not contain. The next `write` deletes these pieces. */
  readonly unused: readonly string[];
}
