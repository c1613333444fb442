import type { EventBody, StreamEvent } from "../schema/event.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { SearchOrder, SearchResult } from "../schema/search.ts";
import type { SessionState } from "../schema/session/session-state.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { ProcessIdentity } from "./host.ts";

/** Stores sessions and their events. A session has one writer at a time and any number of readers. */
export interface Store extends AsyncDisposable {
  /** Records a new session and makes `owner` its writer. */
  create(info: SessionInfo, owner: ProcessIdentity): Promise<Writer>;
  /**
   * Makes `owner` the writer if the current owner is `replacing`. Null means that the session has no owner. Rejects
   * with `session_owned` if another process claimed the session first. Appends of the former writer fail from then on.
   */
  claim(id: SessionId, owner: ProcessIdentity, replacing: ProcessIdentity | null): Promise<Writer>;
  find(id: SessionId): Promise<SessionRecord | undefined>;
  /** Lists sessions, newest first. */
  list(filter?: SessionFilter): Promise<SessionRecord[]>;
  /**
   * Returns the events with a `seq` above `after` in order, at most `limit`. Returns an empty list only at the end of
   * the log.
   */
  read(id: SessionId, options: ReadOptions): Promise<StreamEvent[]>;
  /**
   * Returns the last events with a `seq` below `before` in order, at most `limit`. The cost does not depend on the size
   * of the log.
   */
  readBefore(id: SessionId, options: ReadBeforeOptions): Promise<StreamEvent[]>;
  /** Reads the events of all sessions in the order in which they were written. */
  readAll(options: ReadOptions): Promise<PositionedEvent[]>;
  /**
   * Returns a position that no event so far exceeds, so that a read after it returns only new events. Returns 0 for an
   * empty store.
   */
  lastPosition(): Promise<number>;
  /**
   * Calls `listener` when any process may have written to the store, and when the store is closed. Keeps this process
   * alive if other processes can write. Returns a function that stops watching.
   */
  watch(listener: () => void): () => void;
  /**
   * Finds the events that contain all words of a text, in the order that `options` selects. The search index can be
   * rebuilt from the log at any time and never contains the only copy of data.
   */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** Counts the sessions by state. Omitted if the store has no index by state. */
  countStates?(): Promise<ReadonlyMap<SessionState, number>>;
  /**
   * Deletes a session and its events, including its entries in the index. The session disappears immediately; a large
   * log may be deleted in steps, so that other sessions' writes are not delayed.
   */
  remove(id: SessionId): Promise<void>;
  /**
   * Returns the disk space of removed sessions to the system, in steps, so that writes are not delayed. Omitted if the
   * store uses no disk space or frees it immediately.
   */
  reclaim?(options: ReclaimOptions): Promise<Reclaimed>;
}

/** The exclusive right to write to one session, until another process claims the session. */
export interface Writer {
  /**
   * Writes a block atomically. The block is durable when the promise resolves. Calls in the same event-loop tick share
   * a commit.
   */
  append(block: Block): Promise<void>;
  /** Releases the right to write, so that another process can claim the session. */
  release(): Promise<void>;
}

/** Events that are written together, and the session's state after them. */
export interface Block {
  readonly firstSeq: number;
  readonly at: string;
  readonly turnId?: TurnId | undefined;
  readonly events: readonly StoredEvent[];
  readonly info: SessionInfo;
  /** The byte offset up to which the runtime's output is in the log, including this block. 0 if the runtime has ended. */
  readonly cursor?: number | undefined;
  /**
   * The byte offset that was read when the turn started or continued. Set only if this block starts or continues a turn,
   * or to 0 if the runtime has ended.
   */
  readonly turnCursor?: number | undefined;
}

/** An event without the fields that its block and session provide. */
export type StoredEvent = EventBody & { raw?: unknown };

/** A session in the store. */
export interface SessionRecord {
  readonly info: SessionInfo;
  /** The process that writes the session, or null if none does. */
  readonly owner: ProcessIdentity | null;
  readonly cursor: number;
  readonly turnCursor: number;
}

/** Selects sessions. A session must match all given fields. */
export interface SessionFilter {
  /** Selects sessions in one of these states. */
  readonly states?: readonly SessionState[] | undefined;
  /** Selects sessions on this runtime. */
  readonly runtime?: RuntimeName | undefined;
  /** Selects sessions in this working directory. */
  readonly cwd?: string | undefined;
  /** Selects sessions of this project. */
  readonly project?: string | undefined;
  /** Selects sessions that the session with this id started. */
  readonly parent?: string | undefined;
  /** Selects sessions by the runtime's own id. */
  readonly runtimeSessionId?: string | undefined;
  /** Selects sessions with all of these labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Selects sessions that have been inactive since this time, in ISO format. */
  readonly updatedBefore?: string | undefined;
  /** The number of sessions to skip. Defaults to 0. */
  readonly offset?: number | undefined;
  /** The maximum number of sessions. Defaults to no limit. */
  readonly limit?: number | undefined;
}

/** Limits of one call of `Store.reclaim`. */
export interface ReclaimOptions {
  /** The maximum duration of the call, in milliseconds. */
  readonly maxMs: number;
  /** True if no session is live, so that a step may take longer. */
  readonly isIdle: boolean;
}

/** The result of `Store.reclaim`. */
export interface Reclaimed {
  readonly freedBytes: number;
  /** True if a further call can free more space. */
  readonly hasMore: boolean;
}

/** Selects the events to search. An event and its session must match all given fields. */
export interface SearchOptions extends Pick<SessionFilter, "runtime" | "cwd" | "project"> {
  /** Searches only the sessions with these ids. */
  readonly sessions?: readonly string[] | undefined;
  /** The maximum number of hits, at most 1,000. Defaults to 20. */
  readonly limit?: number | undefined;
  /** Searches only events before this position. Defaults to the end of the log. */
  readonly before?: number | undefined;
  /** Searches only events at this time or later, in ISO format in UTC: `2026-11-17T00:00:00.000Z`. */
  readonly since?: string | undefined;
  /** Searches only events before this time, in the same format. */
  readonly until?: string | undefined;
  /**
   * `newest` sorts the newest hits first. `relevance` sorts by how often an event contains the words in relation to its
   * length, and ranks messages above tool output. Only the newest 300 matches are ranked. Defaults to `newest`.
   */
  readonly order?: SearchOrder | undefined;
}

/** The start and the maximum size of a page of events. */
export interface ReadOptions {
  readonly after: number;
  readonly limit: number;
}

/** The end and the maximum size of a page of events. */
export interface ReadBeforeOptions {
  readonly before: number;
  readonly limit: number;
}

/** An event with its position in the combined log of all sessions. */
export interface PositionedEvent {
  readonly position: number;
  readonly event: StreamEvent;
}
