import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Returns a function that runs its work in a transaction, and throws if the work or the commit fails. */
export function createTransaction(database: DatabaseSyncInstance): <T>(work: () => T) => T {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  return (work) => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite rolls back on its own if the disk is full.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
}
