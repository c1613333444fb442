import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** A function that runs its work whole or not at all, and throws what the work or the commit threw. */
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
      // A full disk has SQLite roll back by itself.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
}
