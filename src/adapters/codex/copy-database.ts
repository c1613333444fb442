import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";

/** The whole of a database as it is now, which others may have open; with a change to the copy, where one is wanted. */
export function copyDatabase<T>(
  from: string,
  to: string,
  change?: (database: DatabaseSyncInstance) => T,
): T | undefined {
  using original = new DatabaseSync(from, { readOnly: true });
  original.prepare("VACUUM INTO ?").run(to);
  using copy = new DatabaseSync(to);
  const result = change?.(copy);
  // As Codex has them: a copy has lost it, and Codex would wait for the disk to make it so again.
  copy.exec("PRAGMA journal_mode = WAL");
  return result;
}

/** Removes all that belongs to a thread. False where something is left that may be somebody's. */
export function forgetThreads(database: DatabaseSyncInstance): boolean {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_migrations'")
    .all()
    .map(({ name }) => `"${name}"`);
  const ofThreads = tables.filter((table) =>
    database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .some(({ name }) => name === "thread_id"),
  );
  for (const table of ofThreads) database.exec(`DELETE FROM ${table}`);
  database.exec("VACUUM");
  return tables.every(
    (table) => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined,
  );
}
