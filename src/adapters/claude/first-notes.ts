import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * What Claude Code notes at its first start with a configuration of its own, kept from one session for the next:
 * otherwise it notes it anew each time, piece by piece, and waits for the disk after each.
 */
export class FirstNotes {
  readonly #file: string;

  /** What one version has noted is for that version alone. */
  constructor(runtimesDir: string, version: string) {
    this.#file = join(runtimesDir, ".claude-notes", `${version}.json`);
  }

  /** Puts them into a configuration that is to be; false where there are none to be had yet. */
  async copyTo(configDir: string): Promise<boolean> {
    await mkdir(configDir, { recursive: true, mode: 0o700 });
    return copyFile(this.#file, notesIn(configDir)).then(
      () => true,
      () => false,
    );
  }

  /** Keeps those of a Claude that has been told nothing yet; none that hold what is the session's own. */
  async takeFrom(configDir: string, own: readonly string[]): Promise<void> {
    const notes = await readFile(notesIn(configDir), "utf8");
    if (own.some((words) => notes.includes(words))) return;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const aside = `${this.#file}.${randomUUID()}`; // several may come at once
    await writeFile(aside, notes, { mode: 0o600 });
    await rename(aside, this.#file); // whole, or not there
  }
}

const notesIn = (configDir: string): string => join(configDir, ".claude.json");
