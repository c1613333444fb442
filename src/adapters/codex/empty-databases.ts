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
    if ((await readdir(home)).some(isDatabase)) return true;
    const names = await readdir(this.#directory).catch(() => []);
    await Promise.all(names.map((name) => copyFile(join(this.#directory, name), join(home, name))));
    return names.length > 0;
  }

  /** Keeps those of a home in which nothing has happened yet. Codex may have them open. */
  async takeFrom(home: string): Promise<void> {
    const { DatabaseSync } = await import("@photostructure/sqlite");
    await mkdir(dirname(this.#directory), { recursive: true, mode: 0o700 });
    const copy = await mkdtemp(`${this.#directory}.`);
    try {
      for (const name of await readdir(home)) {
        if (!isDatabase(name)) continue;
        using original = new DatabaseSync(join(home, name), { readOnly: true });
        original.prepare("VACUUM INTO ?").run(join(copy, name));
        // As Codex has them: a copy has lost it, and Codex would wait for the disk to make it so again.
        using kept = new DatabaseSync(join(copy, name));
        kept.exec("PRAGMA journal_mode = WAL");
      }
      await rename(copy, this.#directory);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }
}

function isDatabase(name: string): boolean {
  return name.endsWith(".sqlite");
}
