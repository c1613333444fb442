import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SessionId } from "../../../schema/id.ts";
import type { Phrase } from "../../search/phrases.ts";
import { searchableText } from "../../search/searchable-text.ts";
import { joinWords } from "../../search/words.ts";
import { createTransaction } from "../transaction.ts";
import { emptyIndex } from "./index-file.ts";
import { eventsOf, type IndexedBlock, type LogReader } from "./log-reader.ts";

interface Progress {
  readonly position: number;
  readonly session: SessionId;
}

/** The words of all events, and how much of the log they cover. Several processes may fill it at the same time. */
export class SearchIndex {
  readonly database: DatabaseSyncInstance;
  readonly #log: LogReader;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #transact: <T>(work: () => T) => T;

  constructor(database: DatabaseSyncInstance, log: LogReader) {
    this.database = database;
    this.#log = log;
    this.#statements = prepareStatements(database);
    this.#transact = createTransaction(database);
  }

  /**
   * Makes an existing index match the log: removes the sessions that the log no longer has, and starts again if the log
   * is another one, for example a restored copy.
   */
  reconcile(): void {
    this.#transact(() => {
      const { position, session } = this.#progress();
      const logged = this.#log.sessionOf(position);
      const isOther = position > this.#log.lastTaken() || (logged ?? session) !== session;
      if (isOther) return emptyIndex(this.database);
      const known = new Set(this.#log.sessionIds());
      for (const id of this.#sessions()) if (!known.has(id)) this.#remove(id);
    });
  }

  /**
   * Indexes the next blocks of the log for at most `maxMs`, and one block at least. Reads the log under the lock of the
   * index, so that a session that is removed meanwhile is removed from the index after this step.
   */
  advance(maxMs: number): void {
    const startedAt = performance.now();
    this.#transact(() => {
      let last: IndexedBlock | undefined;
      for (const block of this.#log.blocksAfter(this.#progress().position)) {
        this.#add(block);
        last = block;
        if (performance.now() - startedAt >= maxMs) break;
      }
      if (last) this.#statements.advance.run(last.position, last.session);
    });
  }

  /** Returns the number of events in the log that are not indexed. */
  pending(): number {
    return Math.max(0, this.#log.lastPosition() - this.#progress().position);
  }

  /** Yields the positions of the events that contain all phrases, newest first. */
  *positions(
    phrases: readonly Phrase[],
    { sessions, before }: { sessions: readonly SessionId[] | undefined; before: number },
  ): Generator<number> {
    const texts = phrases.map((phrase) => `"${phrase.join(" ")}"`).join(" AND ");
    const within = sessions && ` AND session : (${sessions.map(toWord).map(quote).join(" OR ")})`;
    const rows: Iterable<{ position: number }> = this.#statements.find.iterate(
      `text : (${texts})${within ?? ""}`,
      before,
    );
    for (const { position } of rows) yield position;
  }

  /** Removes sessions that the log no longer has. */
  remove(ids: readonly SessionId[]): void {
    this.#transact(() => {
      for (const id of ids) this.#remove(id);
    });
  }

  close(): void {
    this.database.close();
  }

  #add(block: IndexedBlock): void {
    for (const { position, event } of readable(block)) {
      const text = joinWords(searchableText(event) ?? "");
      if (text === "") continue;
      this.#statements.addSession.run(block.session);
      this.#statements.add.run(position, toWord(block.session), text);
    }
  }

  #remove(id: SessionId): void {
    this.#statements.remove.run(`session : ${quote(toWord(id))}`);
    this.#statements.removeSession.run(id);
  }

  #progress(): Progress {
    return this.#statements.progress.get();
  }

  #sessions(): SessionId[] {
    const rows: { id: SessionId }[] = this.#statements.sessions.all();
    return rows.map(({ id }) => id);
  }
}

/** Skips a damaged block: the index must cover the blocks after it, and a reader of the log receives the error. */
function readable(block: IndexedBlock): ReturnType<typeof eventsOf> {
  try {
    return eventsOf(block);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Returns the part of an id that differs, which is one word. */
function toWord(id: SessionId): string {
  return id.replace("ses_", "");
}

function quote(word: string): string {
  return `"${word}"`;
}

function prepareStatements(database: DatabaseSyncInstance) {
  return {
    progress: database.prepare("SELECT position, session FROM progress"),
    advance: database.prepare("UPDATE progress SET position = ?, session = ?"),
    add: database.prepare("INSERT INTO words (rowid, session, text) VALUES (?, ?, ?)"),
    addSession: database.prepare("INSERT OR IGNORE INTO sessions VALUES (?)"),
    sessions: database.prepare("SELECT id FROM sessions"),
    find: database.prepare(`
      SELECT rowid AS position FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC
    `),
    remove: database.prepare(`
      DELETE FROM words WHERE rowid IN (SELECT rowid FROM words WHERE words MATCH ?)
    `),
    removeSession: database.prepare("DELETE FROM sessions WHERE id = ?"),
  };
}
