import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

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
    const { copyDatabase } = await loadCopying();
    await this.#aside(async (aside) => {
      for (const name of names) copyDatabase(join(home, name), join(aside, name));
      await rename(aside, this.#directory);
    });
  }

  /** Keeps also those that came with the first turn, as they were before it. Codex has ended. */
  async takeLater(home: string): Promise<void> {
    const kept = await databasesIn(this.#directory);
    const names = (await databasesIn(home)).filter((name) => !kept.includes(name));
    if (names.length === 0) return;
    const { copyDatabase, forgetThreads } = await loadCopying();
    await this.#aside(async (aside) => {
      for (const name of names) {
        const isEmpty = copyDatabase(join(home, name), join(aside, name), forgetThreads);
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

/** Only for the first session of a version: the others have no use for SQLite here. */
function loadCopying() {
  return import("./copy-database.ts");
}
