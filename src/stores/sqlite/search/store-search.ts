import { access } from "node:fs/promises";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SearchOptions } from "../../../contracts/store.ts";
import type { SessionId } from "../../../schema/id.ts";
import type { SearchHit, SearchResult } from "../../../schema/search.ts";
import type { SessionInfo } from "../../../schema/session.ts";
import { toHit } from "../../search/hit.ts";
import { DEFAULT_LIMIT, isWanted } from "../../search/options.ts";
import { type Phrase, parsePhrases } from "../../search/phrases.ts";
import type { BlockTable } from "../blocks.ts";
import { retryWhileLocked } from "../retry-while-locked.ts";
import type { SessionTable } from "../sessions.ts";
import { indexFileOf, openIndexFile } from "./index-file.ts";
import { LogReader } from "./log-reader.ts";
import { SearchIndex } from "./search-index.ts";

interface StoreSearchOptions {
  /** The file of the log. */
  readonly file: string;
  readonly lockTimeoutMs: number;
  readonly sessions: SessionTable;
  readonly blocks: BlockTable;
}

/** Searches the log with an index in a file of its own, which is opened when it is needed. */
export class StoreSearch {
  readonly #options: StoreSearchOptions;
  readonly #log: LogReader;
  readonly #indexFile: string;
  #index: Promise<SearchIndex> | undefined;
  #filling: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: DatabaseSyncInstance, options: StoreSearchOptions) {
    this.#options = options;
    this.#log = new LogReader(database);
    this.#indexFile = indexFileOf(options.file);
  }

  /** Indexes what is new for at most `CATCH_UP_MS`, then searches. */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const phrases = parsePhrases(query);
    const index = await this.#open();
    await this.#fill(index, performance.now() + CATCH_UP_MS);
    const hits = phrases.length === 0 ? [] : this.#find(index, phrases, options);
    return { hits, pending: index.pending() };
  }

  /** Indexes the next part of the log. Returns the number of events that are left. */
  async advance(): Promise<number> {
    const index = await this.#open();
    await this.#retry(() => index.advance(STEP_MS));
    return index.pending();
  }

  /** Removes sessions that were removed from the log. */
  async remove(ids: readonly SessionId[]): Promise<void> {
    if (this.#index === undefined && !(await exists(this.#indexFile))) return;
    try {
      const index = await this.#open();
      await this.#retry(() => index.remove(ids));
    } catch {
      // A search skips the events, and the next process that opens the index removes them.
    }
  }

  /** Calls `work` with the database of the index. Returns undefined if there is no index. */
  async reclaim<T>(work: (database: DatabaseSyncInstance) => Promise<T>): Promise<T | undefined> {
    if (this.#index === undefined && !(await exists(this.#indexFile))) return undefined;
    return work((await this.#open()).database);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#filling?.catch(() => {}); // the caller of the search receives the error
    const index = await this.#index?.catch(() => undefined); // as above
    index?.close();
  }

  #find(index: SearchIndex, phrases: readonly Phrase[], options: SearchOptions): SearchHit[] {
    const { limit = DEFAULT_LIMIT, before = Number.MAX_SAFE_INTEGER } = options;
    const wanted = this.#wantedSessions(options);
    const isShort = wanted !== undefined && wanted.size <= MAX_NAMED_SESSIONS;
    const sessions = isShort ? [...wanted.keys()] : undefined;
    const hits: SearchHit[] = [];
    if (limit === 0 || wanted?.size === 0) return hits;
    for (const position of index.positions(phrases, { sessions, before })) {
      const hit = this.#hitAt(position, phrases, wanted);
      if (hit) hits.push(hit);
      if (hits.length === limit) break;
    }
    return hits;
  }

  #wantedSessions(options: SearchOptions): ReadonlyMap<SessionId, SessionInfo> | undefined {
    const { sessions, runtime, cwd, project } = options;
    if ([sessions, runtime, cwd, project].every((filter) => filter === undefined)) return undefined;
    const listed = this.#options.sessions.list({ runtime, cwd, project });
    return new Map(
      listed.flatMap(({ info }) => (isWanted(info, options) ? [[info.id, info]] : [])),
    );
  }

  /** Returns undefined if the event was removed, or is not in a wanted session. */
  #hitAt(
    position: number,
    phrases: readonly Phrase[],
    wanted: ReadonlyMap<SessionId, SessionInfo> | undefined,
  ): SearchHit | undefined {
    const id = this.#log.sessionOf(position);
    if (id === undefined) return undefined;
    const info = wanted ? wanted.get(id) : this.#options.sessions.find(id)?.info;
    if (info === undefined) return undefined;
    const [found] = this.#options.blocks.readAll({ after: position - 1, limit: 1 });
    return found && toHit(found, phrases, info);
  }

  /** Fills the index until it is complete, or until the deadline. Concurrent searches share the work. */
  async #fill(index: SearchIndex, deadline: number): Promise<void> {
    this.#filling ??= this.#fillUntil(index, deadline).finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  async #fillUntil(index: SearchIndex, deadline: number): Promise<void> {
    while (!this.#isClosed && index.pending() > 0 && performance.now() < deadline) {
      await this.#retry(() => index.advance(STEP_MS));
      await yieldToOthers();
    }
  }

  #open(): Promise<SearchIndex> {
    this.#index ??= this.#openIndex().catch((error: unknown) => {
      this.#index = undefined;
      throw error;
    });
    return this.#index;
  }

  async #openIndex(): Promise<SearchIndex> {
    const { lockTimeoutMs } = this.#options;
    const database = await openIndexFile(this.#indexFile, { lockTimeoutMs });
    const index = new SearchIndex(database, this.#log);
    await this.#retry(() => index.reconcile());
    return index;
  }

  async #retry(work: () => void): Promise<void> {
    await retryWhileLocked(work, this.#options.lockTimeoutMs);
  }
}

/** How long a search indexes before it answers. */
const CATCH_UP_MS = 1000;
/** How long one step may keep this process from other work. */
const STEP_MS = 5;
/** Up to this number, the index itself selects the sessions. */
const MAX_NAMED_SESSIONS = 200;

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
