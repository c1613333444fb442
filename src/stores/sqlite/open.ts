import { mkdir, open } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { toStoreError } from "./errors.ts";
import { migrate } from "./migrations.ts";
import { retryWhileLocked, STANDSTILL_MS } from "./retry-while-locked.ts";

/** Opens the database, or creates it so that only the user can access it. Rejects with a `store_…` error. */
export async function openDatabase(
  file: string,
  { lockTimeoutMs = 5_000 }: { readonly lockTimeoutMs?: number },
): Promise<DatabaseSyncInstance> {
  try {
    const database = await openPrivateDatabase(file);
    try {
      await retryWhileLocked(() => prepareDatabase(database, file), lockTimeoutMs);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error, file);
  }
}

/** Opens a database without configuring it, or creates one that only the user can access. */
export async function openPrivateDatabase(file: string): Promise<DatabaseSyncInstance> {
  const { DatabaseSync } = loadSqlite();
  await makePrivateFile(file);
  return new DatabaseSync(file, { timeout: STANDSTILL_MS });
}

const require = createRequire(import.meta.url);

/** Loads SQLite only when a database is opened, because loading the native library takes 10 ms. */
function loadSqlite(): typeof import("@photostructure/sqlite") {
  try {
    return require("@photostructure/sqlite");
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new HalyardError(
      "store_failed",
      `SQLite cannot be loaded on this machine: ${reason}. Install Halyard again on this machine. In the library, you can also set the option "store" to "memory".`,
      {
        cause,
      },
    );
  }
}

/**
 * Creates the file if it does not exist. An existing file is not opened: closing it would release the locks that this
 * process holds on it through SQLite.
 */
async function makePrivateFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const created = await open(file, "wx", 0o600);
    await created.close();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/**
 * Configures the database. Commits survive a crash of any process. After a power failure, commits since SQLite last
 * copied its write-ahead log into the database may be lost.
 */
function prepareDatabase(database: DatabaseSyncInstance, file: string): void {
  const isNew = database.prepare("PRAGMA page_count").get()?.page_count === 0;
  if (isNew) database.exec("PRAGMA auto_vacuum = INCREMENTAL"); // fails if the database is read-only
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = ${64 * 1024 * 1024};
  `);
  migrate(database, file);
}
