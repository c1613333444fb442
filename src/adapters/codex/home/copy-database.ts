import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";

/**
 * Copies a database that other processes may have open. Applies `change` to the copy and returns its result, or returns
 * undefined if there is no change.
 */
export function copyDatabase<T>(
  from: string,
  to: string,
  change?: (database: DatabaseSyncInstance) => T,
): T | undefined {
  using original = new DatabaseSync(from, { readOnly: true });
  original.prepare("VACUUM INTO ?").run(to);
  using copy = new DatabaseSync(to);
  const result = change?.(copy);
  // VACUUM INTO does not preserve WAL mode, and Codex would have to wait for the disk to enable it again.
  copy.exec("PRAGMA journal_mode = WAL");
  return result;
}

/**
 * Deletes the rows of all tables that have a column `thread_id`. Returns false if a table other than a migrations table
 * still contains rows, which may be user data.
 */
export function deleteThreads(database: DatabaseSyncInstance): boolean {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_migrations'")
    .all()
    .map(({ name }) => `"${name}"`);
  const threadTables = tables.filter((table) =>
    database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .some(({ name }) => name === "thread_id"),
  );
  for (const table of threadTables) database.exec(`DELETE FROM ${table}`);
  database.exec("VACUUM");
  return tables.every(
    (table) => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined,
  );
}
