import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Caches the configuration file that Claude Code writes on its first start with an empty configuration directory.
 * Without the cache, every session repeats these writes, and Claude waits for the disk after each write.
 */
export class InitialConfig {
  readonly #file: string;

  /** Opens the cache for one Claude Code version. */
  constructor(runtimesDir: string, version: string) {
    this.#file = join(runtimesDir, ".claude-config", `${version}.json`);
  }

  /** Copies the cached file into a new configuration directory. Returns false if nothing is cached or the copy fails. */
  async copyTo(configDir: string): Promise<boolean> {
    await mkdir(configDir, { recursive: true, mode: 0o700 });
    return copyFile(this.#file, configFile(configDir)).then(
      () => true,
      () => false,
    );
  }

  /** Caches the file, unless it contains one of the session's own values. */
  async saveFrom(configDir: string, sessionValues: readonly string[]): Promise<void> {
    const text = await readFile(configFile(configDir), "utf8");
    if (sessionValues.some((value) => text.includes(value))) return;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    // a unique name, because several sessions may write at the same time
    const temporary = `${this.#file}.${randomUUID()}`;
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, this.#file); // atomic, so that no session reads an incomplete file
  }
}

const configFile = (configDir: string): string => join(configDir, ".claude.json");
