import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Caches Codex's empty databases for new sessions, because creating them is the slowest part of Codex's start. The
 * cached databases contain no user data, and each session receives its own copy.
 */
export class EmptyDatabases {
  readonly #directory: string;

  /** Opens the cache for one Codex version. */
  constructor(runtimesDir: string, version: string) {
    this.#directory = join(runtimesDir, ".codex-databases", version);
  }

  /**
   * Copies the databases into a home, unless the home already has databases. Returns false if the home has none and nothing
   * is cached.
   */
  async copyTo(home: string): Promise<boolean> {
    if ((await databasesIn(home)).length > 0) return true;
    const names = await databasesIn(this.#directory);
    await Promise.all(names.map((name) => copyFile(join(this.#directory, name), join(home, name))));
    return names.length > 0;
  }

  /** Caches a home's databases before its first thread. Codex may have them open. */
  async saveFrom(home: string): Promise<void> {
    const names = await databasesIn(home);
    const { copyDatabase } = await importCopy();
    await this.#withTemporary(async (temporary) => {
      for (const name of names) copyDatabase(join(home, name), join(temporary, name));
      await rename(temporary, this.#directory);
    });
  }

  /**
   * Caches the databases that the first turn created, without the turn's rows. Must be called after Codex has exited.
   */
  async saveNewFrom(home: string): Promise<void> {
    const cached = await databasesIn(this.#directory);
    const names = (await databasesIn(home)).filter((name) => !cached.includes(name));
    if (names.length === 0) return;
    const { copyDatabase, deleteThreads } = await importCopy();
    await this.#withTemporary(async (temporary) => {
      for (const name of names) {
        const isEmpty = copyDatabase(join(home, name), join(temporary, name), deleteThreads);
        if (isEmpty) await rename(join(temporary, name), join(this.#directory, name));
      }
    });
  }

  /** Runs a function with a temporary directory, so that incomplete files are never in the cache. */
  async #withTemporary(make: (directory: string) => Promise<void>): Promise<void> {
    await mkdir(dirname(this.#directory), { recursive: true, mode: 0o700 });
    const temporary = await mkdtemp(`${this.#directory}.`);
    try {
      await make(temporary);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
}

async function databasesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith(".sqlite"));
}

/** Imports SQLite lazily, because only the first session of a version needs it. */
function importCopy() {
  return import("./copy-database.ts");
}
