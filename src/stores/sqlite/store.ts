import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { ProcessIdentity } from "../../contracts/host.ts";
import type {
  PositionedEvent,
  ReadBeforeOptions,
  ReadOptions,
  Reclaimed,
  ReclaimOptions,
  SearchOptions,
  SessionFilter,
  SessionRecord,
  Store,
  Writer,
} from "../../contracts/store.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { SessionId } from "../../schema/id.ts";
import type { SearchResult } from "../../schema/search.ts";
import type { SessionState } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { refusals } from "../refusals.ts";
import { BlockTable } from "./blocks.ts";
import { GroupCommit, type WriteOptions } from "./commit.ts";
import { toStoreError } from "./errors.ts";
import { openDatabase } from "./open.ts";
import { reclaimSpace } from "./reclaim-space.ts";
import { Removal } from "./removal.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";
import { BackgroundIndexing } from "./search/background-indexing.ts";
import { StoreSearch } from "./search/store-search.ts";
import { type Claim, SessionTable } from "./sessions.ts";
import { ChangeWatch } from "./watch.ts";
import { createWriter } from "./writer.ts";

/** Options of `openSqliteStore`. */
export interface SqliteStoreOptions {
  /** How long to wait for another process's lock, in milliseconds. Defaults to 5,000. */
  readonly lockTimeoutMs?: number;
  /** True to index new events in the background. Otherwise, they are indexed when a search runs. Defaults to false. */
  readonly indexes?: boolean;
}

/** Opens the store in a file, and creates it if it does not exist. */
export async function openSqliteStore(
  file: string,
  options: SqliteStoreOptions = {},
): Promise<Store> {
  const database = await openDatabase(file, options);
  try {
    return new SqliteStore(database, { file, ...options });
  } catch (error) {
    database.close();
    throw toStoreError(error, file);
  }
}

/** A store in one SQLite database for all sessions and processes. */
export class SqliteStore implements Store {
  readonly #database: DatabaseSyncInstance;
  readonly #file: string;
  readonly #lockTimeoutMs: number;
  readonly #sessions: SessionTable;
  readonly #blocks: BlockTable;
  readonly #changes: ChangeWatch;
  readonly #commits: GroupCommit;
  readonly #removal: Removal;
  readonly #search: StoreSearch;
  readonly #indexing: BackgroundIndexing | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    database: DatabaseSyncInstance,
    { file, lockTimeoutMs = 5_000, indexes = false }: { file: string } & SqliteStoreOptions,
  ) {
    this.#database = database;
    this.#file = file;
    this.#lockTimeoutMs = lockTimeoutMs;
    this.#sessions = new SessionTable(database);
    this.#blocks = new BlockTable(database);
    this.#removal = new Removal(database, this.#blocks);
    const version = database.prepare("PRAGMA data_version");
    this.#changes = new ChangeWatch({
      file: `${file}-wal`,
      version: () => version.get().data_version,
    });
    const tables = { sessions: this.#sessions, blocks: this.#blocks };
    this.#search = new StoreSearch(database, { file, lockTimeoutMs, ...tables });
    if (indexes) this.#indexing = new BackgroundIndexing(() => this.#search.advance());
    const onCommit = () => {
      this.#changes.notify();
      this.#indexing?.onCommit();
    };
    this.#commits = new GroupCommit(database, { file, lockTimeoutMs, onCommit });
  }

  async create(info: SessionInfo, owner: ProcessIdentity): Promise<Writer> {
    return this.#writer(await this.#write(() => this.#sessions.insert(info, owner)));
  }

  async claim(
    id: SessionId,
    owner: ProcessIdentity,
    replacing: ProcessIdentity | null,
  ): Promise<Writer> {
    return this.#writer(await this.#write(() => this.#sessions.claim(id, owner, replacing)));
  }

  find(id: SessionId): Promise<SessionRecord | undefined> {
    return this.#read(() => this.#sessions.find(id));
  }

  list(filter: SessionFilter = {}): Promise<SessionRecord[]> {
    return this.#read(() => this.#sessions.list(filter));
  }

  read(id: SessionId, options: ReadOptions): Promise<StreamEvent[]> {
    return this.#read(() => {
      const session = this.#sessions.keyOf(id);
      return session === undefined ? [] : this.#blocks.read({ id, ...session }, options);
    });
  }

  readBefore(id: SessionId, options: ReadBeforeOptions): Promise<StreamEvent[]> {
    return this.#read(() => {
      const session = this.#sessions.keyOf(id);
      return session === undefined ? [] : this.#blocks.readBefore({ id, ...session }, options);
    });
  }

  lastPosition(): Promise<number> {
    return this.#read(() => this.#blocks.lastPosition());
  }

  readAll(options: ReadOptions): Promise<PositionedEvent[]> {
    return this.#read(() => this.#blocks.readAll(options));
  }

  watch(listener: () => void): () => void {
    this.#assertOpen();
    return this.#changes.add(listener);
  }

  async search(query: string, options?: SearchOptions): Promise<SearchResult> {
    this.#assertOpen();
    try {
      return await this.#search.search(query, options);
    } catch (error) {
      throw toStoreError(error, this.#file);
    }
  }

  countStates(): Promise<ReadonlyMap<SessionState, number>> {
    return this.#read(() => this.#sessions.countStates());
  }

  async remove(id: SessionId): Promise<void> {
    await this.#write(() => this.#removal.begin(id));
    while (await this.#write(() => this.#removal.advance())); // repeat until no block remains
    await this.#search.remove([id]);
  }

  async reclaim(options: ReclaimOptions): Promise<Reclaimed> {
    while (await this.#write(() => this.#removal.advance())); // remove the blocks that a killed process left behind
    const log = await this.#space(this.#database, options);
    const index = await this.#search.reclaim((database) => this.#space(database, options));
    const freedBytes = log.freedBytes + (index?.freedBytes ?? 0);
    return { freedBytes, hasMore: log.hasMore || (index?.hasMore ?? false) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#indexing?.stop();
    await this.#search.close();
    await this.#commits.flush();
    this.#changes.notify(); // wakes readers, so that they notice that the store is closed
    this.#changes.stop();
    try {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Ignored: no data is lost, because SQLite reads the write-ahead log when the database is opened again.
    }
    this.#database.close();
  }

  #writer(claim: Claim): Writer {
    return createWriter(claim, {
      sessions: this.#sessions,
      blocks: this.#blocks,
      write: (work, options) => this.#write(work, options),
    });
  }

  #write<T>(work: () => T, options?: WriteOptions): Promise<T> {
    this.#assertOpen();
    return this.#commits.write(work, options);
  }

  async #read<T>(work: () => T): Promise<T> {
    this.#assertOpen();
    try {
      return await retryWhileLocked(work, this.#lockTimeoutMs);
    } catch (error) {
      throw toStoreError(error, this.#file);
    }
  }

  async #space(database: DatabaseSyncInstance, options: ReclaimOptions): Promise<Reclaimed> {
    try {
      return await reclaimSpace(database, { ...options, lockTimeoutMs: this.#lockTimeoutMs });
    } catch (error) {
      throw toStoreError(error, this.#file);
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw refusals.closed(this.#file);
  }
}
