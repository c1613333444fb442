import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HalyardError } from "../../errors/error.ts";
import { createTransaction } from "./transaction.ts";

/**
 * Migrates the database to the current schema. Throws without changing the database if a newer version of Halyard
 * created it.
 */
export function migrate(database: DatabaseSyncInstance, file: string): void {
  if (versionOf(database, file) === steps.length) return;
  createTransaction(database)(() => {
    // Read the version again under the lock: another process may have migrated the database.
    for (const step of steps.slice(versionOf(database, file))) database.exec(step);
    database.exec(`PRAGMA user_version = ${steps.length}`);
  });
}

function versionOf(database: DatabaseSyncInstance, file: string): number {
  const { version }: { version: number } = database
    .prepare("SELECT user_version AS version FROM pragma_user_version")
    .get();
  if (version <= steps.length) return version;
  throw new HalyardError(
    "store_failed",
    `${file} was written by a newer version of Halyard (schema version ${version}; this version supports at most ${steps.length}). Run "npm install halyard@latest", with -g if Halyard is installed globally.`,
  );
}

/**
 * The migrations, in order. Append new migrations; never change an existing one. The `position` of a block is the
 * position of its last event among the events of all sessions, so every insert appends to the same B-tree.
 * `positions.taken` is the last position when blocks were last removed: positions are not reused. The row of a session is not
 * updated for every block. The `last_seq`, `at` and `cursor` of the last block take precedence over those of the row.
 * `removals` are the keys of removed sessions that still have blocks. No query returns these blocks, because no session
 * has the key.
 */
const steps = [
  `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    runtime TEXT NOT NULL,
    cwd TEXT NOT NULL,
    created_at TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT,
    epoch INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    cursor INTEGER NOT NULL,
    turn_cursor INTEGER NOT NULL,
    info TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_age ON sessions (created_at);
  CREATE INDEX sessions_by_state ON sessions (state, created_at);
  CREATE INDEX sessions_by_cwd ON sessions (cwd, created_at);

  CREATE TABLE blocks (
    position INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    turn_id TEXT,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX blocks_by_session ON blocks (session, last_seq);

  CREATE TABLE positions (taken INTEGER NOT NULL) STRICT;
  INSERT INTO positions VALUES (0);
  `,
  "ALTER TABLE blocks ADD COLUMN cursor INTEGER",
  "ALTER TABLE sessions ADD COLUMN unsent TEXT",
  "ALTER TABLE sessions DROP COLUMN unsent",
  "CREATE TABLE removals (key INTEGER PRIMARY KEY) STRICT",
];
