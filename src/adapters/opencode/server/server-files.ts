import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasCode } from "../../../errors/has-code.ts";

const Secret = z.strictObject({ key: z.string(), password: z.string() });

/**
 * A server's files in its run directory, in addition to its host's files. The password lets a later process attach to
 * the server. Only the user can read it, and it is valid only while the server runs.
 */
export class ServerFiles {
  readonly runDir: string;

  constructor(runDir: string) {
    this.runDir = runDir;
  }

  get plugin(): string {
    return join(this.runDir, "plugin.js");
  }

  get #secret(): string {
    return join(this.runDir, "server.json");
  }

  get #claims(): string {
    return join(this.runDir, "claims");
  }

  /** Creates the files. Sessions with the same key share the server. */
  async create(key: string): Promise<{ password: string }> {
    const password = randomBytes(24).toString("base64url");
    await mkdir(this.#claims, { recursive: true, mode: 0o700 });
    await writeFile(this.#secret, JSON.stringify({ key, password }), { mode: 0o600 });
    return { password };
  }

  async read(): Promise<{ key: string; password: string }> {
    return Secret.parse(JSON.parse(await readFile(this.#secret, "utf8")));
  }

  /** Adds a session's claim. The server runs as long as any session has a claim. */
  async claim(session: string): Promise<void> {
    await writeFile(join(this.#claims, session), "");
  }

  /** Adds a session's claim. Returns false if the server is stopping or has no files. */
  async tryClaim(session: string): Promise<boolean> {
    try {
      await this.claim(session);
      return true;
    } catch (error) {
      if (hasCode(error, "ENOENT")) return false;
      throw error;
    }
  }

  async unclaim(session: string): Promise<void> {
    await rm(join(this.#claims, session), { force: true });
  }

  async claims(): Promise<string[]> {
    return readdir(this.#claims).catch(() => []);
  }

  /**
   * Prevents further claims. Returns true if the caller must stop the server. Returns false and changes nothing if a
   * session has a claim or another process has already called this method. Removing a directory is atomic, and fails if
   * the directory is not empty.
   */
  async retire(): Promise<boolean> {
    try {
      await rmdir(this.#claims);
      return true;
    } catch (error) {
      if (hasCode(error, "ENOENT") || hasCode(error, "ENOTEMPTY")) return false;
      throw error;
    }
  }

  async remove(): Promise<void> {
    await rm(this.runDir, { recursive: true, force: true });
  }
}
