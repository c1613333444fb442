import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SessionId } from "../../../schema/id.ts";
import type { Phrase } from "../../search/phrases.ts";
import { searchableText } from "../../search/searchable-text.ts";
import { joinWords } from "../../search/words.ts";
import { createTransaction } from "../transaction.ts";
import { idWord, lastBefore, sessionWords, timeWords } from "./facets.ts";
import { emptyIndex } from "./index-file.ts";
import { eventsOf, type IndexedBlock, type LogReader } from "./log-reader.ts";

interface Progress {
  readonly position: number;
  readonly session: SessionId;
}

/** The words of all events, and the progress of indexing. Several processes may fill the index at the same time. */
export class SearchIndex {
  readonly database: DatabaseSyncInstance;
  readonly #log: LogReader;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #transact: <T>(work: () => T) => T;
  /** A cache of the words of recently indexed sessions. */
  readonly #words = new Map<SessionId, string>();
  /** The positions by day that the running step has indexed. */
  readonly #days = new Map<string, { readonly first: number; last: number }>();

  constructor(database: DatabaseSyncInstance, log: LogReader) {
    this.database = database;
    this.#log = log;
    this.#statements = prepareStatements(database);
    this.#transact = createTransaction(database);
  }

  /**
   * Makes an existing index consistent with the log. Removes sessions that are no longer in the log, and clears the
   * index if the log was replaced, for example with a restored copy.
   */
  reconcile(): void {
    this.#transact(() => {
      const { position, session } = this.#progress();
      const logged = this.#log.find(position)?.session;
      const isOther = position > this.#log.lastTaken() || (logged ?? session) !== session;
      if (isOther) return emptyIndex(this.database);
      const known = new Set(this.#log.sessionIds());
      for (const id of this.#sessions()) if (!known.has(id)) this.#remove(id);
    });
  }

  /**
   * Indexes the next blocks of the log for at most `maxMs`, but at least one block. Reads the log while it holds the
   * lock of the index. If a session is removed at the same time, its removal from the index therefore follows this step.
   */
  advance(maxMs: number): void {
    const startedAt = performance.now();
    this.#transact(() => {
      let last: IndexedBlock | undefined;
      this.#days.clear();
      for (const block of this.#log.blocksAfter(this.#progress().position)) {
        this.#add(block);
        last = block;
        if (performance.now() - startedAt >= maxMs) break;
      }
      for (const [day, { first, last }] of this.#days)
        this.#statements.addDay.run(day, first, last);
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
    { wanted, before, since, until }: PositionOptions,
  ): Generator<number> {
    const { first, last } = this.#range(since, until);
    const texts = phrases.map((phrase) => `"${phrase.join(" ")}"`).join(" AND ");
    const within = wanted.map((words) => ` AND session : (${words.map(quote).join(" OR ")})`);
    const rows: Iterable<{ position: number }> = this.#statements.find.iterate(
      `text : (${texts})${within.join("")}`,
      first,
      Math.min(before - 1, last),
    );
    for (const { position } of rows) yield position;
  }

  /** Removes sessions that are no longer in the log. */
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
      const words = `${this.#wordsOf(block.session)} ${timeWords(block.at)}`;
      this.#statements.add.run(position, words, text);
      const day = this.#days.get(dayOf(block.at));
      if (day) day.last = position;
      else this.#days.set(dayOf(block.at), { first: position, last: position });
    }
  }

  /** Returns the first and last position of the indexed events from the day of `since` to the day of `until`. */
  #range(since: string | undefined, until: string | undefined): { first: number; last: number } {
    if (since === undefined && until === undefined) return { first: 0, last: MAX_POSITION };
    const row: { first: number | null; last: number | null } = this.#statements.range.get(
      dayOf(since ?? ""),
      until === undefined ? "9999-12-31" : dayOf(lastBefore(until)),
    );
    return { first: row.first ?? 0, last: row.last ?? 0 };
  }

  #wordsOf(id: SessionId): string {
    const known = this.#words.get(id);
    if (known !== undefined) return known;
    const facets = this.#log.facetsOf(id);
    const words = facets ? sessionWords(facets) : idWord(id);
    if (this.#words.size >= MAX_KNOWN) this.#words.clear();
    this.#words.set(id, words);
    return words;
  }

  #remove(id: SessionId): void {
    this.#words.delete(id);
    this.#statements.remove.run(`session : ${quote(idWord(id))}`);
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

interface PositionOptions {
  /** Lists of words. A matching event has at least one word of each list. */
  readonly wanted: readonly (readonly string[])[];
  readonly before: number;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const MAX_POSITION = Number.MAX_SAFE_INTEGER;

function dayOf(at: string): string {
  return at.slice(0, "2026-11-17".length);
}

/**
 * Reads the events of a block. Skips a damaged block, so that later blocks are indexed. Only readers of the log receive
 * the error.
 */
function readable(block: IndexedBlock): ReturnType<typeof eventsOf> {
  try {
    return eventsOf(block);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** The number of sessions whose words are kept in memory. */
const MAX_KNOWN = 1000;

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
      SELECT rowid AS position FROM words WHERE words MATCH ? AND rowid >= ? AND rowid <= ?
      ORDER BY rowid DESC
    `),
    addDay: database.prepare(`
      INSERT INTO days VALUES (?, ?, ?) ON CONFLICT (day) DO UPDATE
      SET first = min(first, excluded.first), last = max(last, excluded.last)
    `),
    range: database.prepare(`
      SELECT min(first) AS first, max(last) AS last FROM days WHERE day BETWEEN ? AND ?
    `),
    remove: database.prepare(`
      DELETE FROM words WHERE rowid IN (SELECT rowid FROM words WHERE words MATCH ?)
    `),
    removeSession: database.prepare("DELETE FROM sessions WHERE id = ?"),
  };
}
