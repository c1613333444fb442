import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/**
 * Codex's databases as they are before the first thread, kept from one session for the next: to make them takes it
 * longer than all else at its start. Nothing in them is anybody's, and each session has its own.
 */
export class EmptyDatabases {
  readonly #directory: string;

  /** What one version of Codex has made is for that version alone. */
  constructor(runtimesDir: string, version: string) {
    this.#directory = join(runtimesDir, ".codex-databases", version);
  }

  /** Puts them into a home that has none of its own; false where there are none to be had yet. */
  async copyTo(home: string): Promise<boolean> {
    if ((await databasesIn(home)).length > 0) return true;
    const names = await databasesIn(this.#directory);
    await Promise.all(names.map((name) => copyFile(join(this.#directory, name), join(home, name))));
    return names.length > 0;
  }

  /** Keeps those of a home in which nothing has happened yet. Codex may have them open. */
  async takeFrom(home: string): Promise<void> {
    const names = await databasesIn(home);
    await this.#aside(async (aside) => {
      for (const name of names) await copyDatabase(join(home, name), join(aside, name));
      await rename(aside, this.#directory);
    });
  }

  /** Keeps also those that came with the first turn, as they were before it. Codex has ended. */
  async takeLater(home: string): Promise<void> {
    const kept = await databasesIn(this.#directory);
    const names = (await databasesIn(home)).filter((name) => !kept.includes(name));
    if (names.length === 0) return;
    await this.#aside(async (aside) => {
      for (const name of names) {
        const isEmpty = await copyDatabase(join(home, name), join(aside, name), forgetThreads);
        if (isEmpty) await rename(join(aside, name), join(this.#directory, name));
      }
    });
  }

  /** What is not whole yet is not where it would be found. */
  async #aside(make: (directory: string) => Promise<void>): Promise<void> {
    await mkdir(dirname(this.#directory), { recursive: true, mode: 0o700 });
    const aside = await mkdtemp(`${this.#directory}.`);
    try {
      await make(aside);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }
}

async function databasesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith(".sqlite"));
}

async function copyDatabase<T>(
  from: string,
  to: string,
  change?: (database: DatabaseSyncInstance) => T,
): Promise<T | undefined> {
  const { DatabaseSync } = await import("@photostructure/sqlite");
  using original = new DatabaseSync(from, { readOnly: true });
  original.prepare("VACUUM INTO ?").run(to);
  using copy = new DatabaseSync(to);
  const result = change?.(copy);
  // As Codex has them: a copy has lost it, and Codex would wait for the disk to make it so again.
  copy.exec("PRAGMA journal_mode = WAL");
  return result;
}

/** Removes all that belongs to a thread. False where something is left that may be somebody's. */
function forgetThreads(database: DatabaseSyncInstance): boolean {
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
