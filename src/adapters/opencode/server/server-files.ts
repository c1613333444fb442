import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const Secret = z.strictObject({ key: z.string(), password: z.string() });

/**
 * The files of a server in its run directory, in addition to those of its host. The password lets a later process attach
 * to the server. Only the user can read it, and it is valid only while the server runs.
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

  /** Adds the claim of a session. The server runs while it has claims, even from other processes. */
  async claim(session: string): Promise<void> {
    await writeFile(join(this.#claims, session), "");
  }

  async unclaim(session: string): Promise<void> {
    await rm(join(this.#claims, session), { force: true });
  }

  async claims(): Promise<string[]> {
    return readdir(this.#claims).catch(() => []);
  }

  async remove(): Promise<void> {
    await rm(this.runDir, { recursive: true, force: true });
  }
}
