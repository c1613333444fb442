import { rm } from "node:fs/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { isCorrupt } from "../errors.ts";
import { openPrivateDatabase } from "../open.ts";
import { retryWhileLocked } from "../retry-while-locked.ts";
import { createTransaction } from "../transaction.ts";

/** Returns the file of the search index of a store. */
export function indexFileOf(file: string): string {
  return file.replace(/(\.db)?$/, "-search.db");
}

/**
 * Opens the search index, or creates an empty one. Replaces a damaged index, or an index with another version. The new
 * index is filled from the log.
 */
export async function openIndexFile(
  file: string,
  { lockTimeoutMs }: { readonly lockTimeoutMs: number },
): Promise<DatabaseSyncInstance> {
  try {
    return await open(file, lockTimeoutMs);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
    return open(file, lockTimeoutMs);
  }
}

async function open(file: string, lockTimeoutMs: number): Promise<DatabaseSyncInstance> {
  const database = await openPrivateDatabase(file);
  try {
    await retryWhileLocked(() => prepareIndex(database), lockTimeoutMs);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareIndex(database: DatabaseSyncInstance): void {
  database.exec(`
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA journal_size_limit = ${16 * 1024 * 1024};
  `);
  if (versionOf(database) === VERSION) return;
  createTransaction(database)(() => {
    if (versionOf(database) === VERSION) return; // another process has already created the schema
    emptyIndex(database);
    database.exec(`PRAGMA user_version = ${VERSION}`);
  });
}

/** Deletes all content of the index. Must run in a transaction. */
export function emptyIndex(database: DatabaseSyncInstance): void {
  database.exec(`
    DROP TABLE IF EXISTS words;
    DROP TABLE IF EXISTS sessions;
    DROP TABLE IF EXISTS days;
    DROP TABLE IF EXISTS progress;
    ${SCHEMA}
  `);
}

function versionOf(database: DatabaseSyncInstance): number {
  const { version }: { version: number } = database
    .prepare("SELECT user_version AS version FROM pragma_user_version")
    .get();
  return version;
}

/** The version of the index. Increment it if the schema changes, or if texts are split into words differently. */
const VERSION = 3;

/**
 * A row of `words` uses the position of its event as rowid and stores no text, because the log contains it. Its column
 * `session` contains the words for filters: the session, its runtime, directory and project, and the date. `sessions`
 * contains the sessions with rows. `days` contains the first and the last position of each day's events. Events are
 * usually written in chronological order, so a search in a few days reads only a part of the index. `progress` contains
 * the last indexed block.
 */
const SCHEMA = `
  CREATE VIRTUAL TABLE words USING fts5 (
    session, text, content = '', contentless_delete = 1, tokenize = 'ascii'
  );
  CREATE TABLE sessions (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE days (
    day TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE progress (position INTEGER NOT NULL, session TEXT NOT NULL) STRICT;
  INSERT INTO progress VALUES (0, '');
`;
