import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HalyardError } from "../../errors/error.ts";
import { createTransaction } from "./transaction.ts";

/** Migrates the database to the current schema. Rejects a database of a newer Halyard and does not change it. */
export function migrate(database: DatabaseSyncInstance, file: string): void {
  if (versionOf(database, file) === steps.length) return;
  createTransaction(database)(() => {
    // Read again under the lock: another process may have been faster.
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
    `${file} was written by a newer Halyard (form ${version}; this one knows up to ${steps.length}): update Halyard.`,
  );
}

/**
 * Only ever added to. A block's `position` is its last event's place among the events of all sessions, so that
 * blocks of all sessions are added at the end of one tree; `positions.taken` remembers the places of blocks that
 * were removed, which nobody gets again. Blocks after the `last_seq` in the row of their session have changed
 * nothing of it but how far it is: the last one's `last_seq`, `at` and `cursor` tell that.
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
];
