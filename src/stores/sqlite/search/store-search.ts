import { access } from "node:fs/promises";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SearchOptions } from "../../../contracts/store.ts";
import { isSessionId } from "../../../errors/require-id.ts";
import type { SessionId } from "../../../schema/id.ts";
import { inOrder, RANKED_HITS, type SearchHit, type SearchResult } from "../../../schema/search.ts";
import { toHit } from "../../search/hit.ts";
import { DEFAULT_LIMIT, isInTime, isWanted } from "../../search/options.ts";
import { type Phrase, parsePhrases } from "../../search/phrases.ts";
import type { BlockTable } from "../blocks.ts";
import { retryWhileLocked } from "../retry-while-locked.ts";
import type { SessionTable } from "../sessions.ts";
import { wantedWords } from "./facets.ts";
import { indexFileOf, openIndexFile } from "./index-file.ts";
import { LogReader } from "./log-reader.ts";
import { SearchIndex } from "./search-index.ts";

interface StoreSearchOptions {
  /** The database file that contains the log. */
  readonly file: string;
  readonly lockTimeoutMs: number;
  readonly sessions: SessionTable;
  readonly blocks: BlockTable;
}

/** Searches the log with an index in a separate file, which is opened on first use. */
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

  /** Indexes `CATCH_UP_EVENTS` new events, and more until `CATCH_UP_MS` have passed, then searches. */
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

  /** Removes sessions from the index after they were removed from the log. */
  async remove(ids: readonly SessionId[]): Promise<void> {
    if (this.#index === undefined && !(await exists(this.#indexFile))) return;
    try {
      const index = await this.#open();
      await this.#retry(() => index.remove(ids));
    } catch {
      // Ignored: a search skips these events, and the next process that opens the index removes them.
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
    const index = await this.#index?.catch(() => undefined); // the caller of the search receives the error
    index?.close();
  }

  #find(index: SearchIndex, phrases: readonly Phrase[], options: SearchOptions): SearchHit[] {
    const { limit = DEFAULT_LIMIT, before = Number.MAX_SAFE_INTEGER, since, until } = options;
    const most = options.order === "relevance" ? RANKED_HITS : limit;
    const wanted = wantedWords(options, isSessionId);
    const hits: SearchHit[] = [];
    if (limit === 0 || wanted.some((words) => words.length === 0)) return hits;
    for (const position of index.positions(phrases, { wanted, before, since, until })) {
      const hit = this.#hitAt(position, phrases, options);
      if (hit) hits.push(hit);
      if (hits.length === most) break;
    }
    return inOrder(hits, options.order).slice(0, limit);
  }

  /**
   * Returns the hit at a position. Returns undefined if the event was removed or does not match the options exactly.
   */
  #hitAt(
    position: number,
    phrases: readonly Phrase[],
    options: SearchOptions,
  ): SearchHit | undefined {
    const block = this.#log.find(position);
    if (block === undefined || !isInTime(block, options)) return undefined;
    const info = this.#options.sessions.find(block.session)?.info;
    if (info === undefined || !isWanted(info, options)) return undefined;
    const [found] = this.#options.blocks.readAll({ after: position - 1, limit: 1 });
    return found && toHit(found, phrases, info, options.order);
  }

  /**
   * Fills the index until it is complete, or until the deadline has passed and `CATCH_UP_EVENTS` are indexed. Concurrent
   * searches share the work.
   */
  async #fill(index: SearchIndex, deadline: number): Promise<void> {
    this.#filling ??= this.#fillUntil(index, deadline).finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  async #fillUntil(index: SearchIndex, deadline: number): Promise<void> {
    const enough = index.pending() - CATCH_UP_EVENTS;
    for (let left = index.pending(); !this.#isClosed && left > 0; left = index.pending()) {
      if (left <= enough && performance.now() >= deadline) return;
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

/** How long a search indexes new events, in milliseconds. Takes longer if `CATCH_UP_EVENTS` are not indexed by then. */
const CATCH_UP_MS = 100;
/** The number of new events that a search always indexes first. Usually takes about as long as `CATCH_UP_MS`. */
const CATCH_UP_EVENTS = 20_000;
/** The maximum time that one step may block this process, in milliseconds. */
const STEP_MS = 5;

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
