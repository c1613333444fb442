import type { EventBody, StreamEvent } from "../schema/event.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionState } from "../schema/session-state.ts";
import type { ProcessIdentity } from "./host.ts";

/** Keeps sessions and their events. One process writes a session at a time; any number read it. */
export interface Store extends AsyncDisposable {
  /** Records a new session and makes `owner` its writer. */
  create(info: SessionInfo, owner: ProcessIdentity): Promise<Writer>;
  /**
   * Makes `owner` the writer, if the owner is still the one named in `replacing` (null: nobody).
   * Rejects with `session_owned` if somebody else was faster; the former writer's appends fail from then on.
   */
  claim(id: SessionId, owner: ProcessIdentity, replacing: ProcessIdentity | null): Promise<Writer>;
  find(id: SessionId): Promise<SessionRecord | undefined>;
  /** Newest first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>;
  /** Events with `seq` above `after`, in order, at most `limit`; none only at the end of the log. */
  read(id: SessionId, options: ReadOptions): Promise<StreamEvent[]>;
  /** The same over all sessions, in the order of their writing. */
  readAll(options: ReadOptions): Promise<PositionedEvent[]>;
  /**
   * Calls `listener` whenever something may have been written, by whatever process, and when the store is closed.
   * Keeps this process alive where another one could write; returns how to stop all that.
   */
  watch(listener: () => void): () => void;
  /** Forgets a session and its events. */
  remove(id: SessionId): Promise<void>;
}

/** The right to write one session, until somebody else claims it. */
export interface Writer {
  /** Durable once it resolves, all of it or nothing. Calls of one tick share a commit. */
  append(block: Block): Promise<void>;
  /** Gives the right back, so that another process may claim the session. */
  release(): Promise<void>;
}

/** Events that happened together, and the session as it is after them. */
export interface Block {
  readonly firstSeq: number;
  readonly at: string;
  readonly turnId?: TurnId | undefined;
  readonly events: readonly StoredEvent[];
  readonly info: SessionInfo;
  /** How far the runtime's output is in the log with this block. */
  readonly cursor?: number | undefined;
  /** Set where a turn begins: how far the output was read by then. */
  readonly turnCursor?: number | undefined;
}

/** An event without what its block and session say already. */
export type StoredEvent = EventBody & { raw?: unknown };

/** A session as the store keeps it. */
export interface SessionRecord {
  readonly info: SessionInfo;
  /** Who writes it; null once it was given back. */
  readonly owner: ProcessIdentity | null;
  readonly cursor: number;
  readonly turnCursor: number;
}

/** Which sessions to list. A session must match all of these. */
export interface SessionFilter {
  /** In one of these states. */
  readonly states?: readonly SessionState[] | undefined;
  /** On this runtime. */
  readonly runtime?: RuntimeName | undefined;
  /** In this working directory. */
  readonly cwd?: string | undefined;
  /** In this project. */
  readonly project?: string | undefined;
  /** Started by the session with this id. */
  readonly parent?: string | undefined;
  /** With this id of the runtime. */
  readonly runtimeSessionId?: string | undefined;
  /** With all of these labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The largest number of sessions. */
  readonly limit?: number | undefined;
}

/** From where to read, and how much. */
export interface ReadOptions {
  readonly after: number;
  readonly limit: number;
}

/** An event with its place among the events of all sessions. */
export interface PositionedEvent {
  readonly position: number;
  readonly event: StreamEvent;
}
