import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const Secret = z.strictObject({ key: z.string(), password: z.string() });

/**
 * What a server has in its run directory, beside what its host puts there. The password is for whoever finds the
 * server again after we are gone, and for nobody but the user: it opens nothing but this server, while it runs.
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

  /** A server is found by its key by those who could share it. */
  async create(key: string): Promise<{ password: string }> {
    const password = randomBytes(24).toString("base64url");
    await mkdir(this.#claims, { recursive: true, mode: 0o700 });
    await writeFile(this.#secret, JSON.stringify({ key, password }), { mode: 0o600 });
    return { password };
  }

  async read(): Promise<{ key: string; password: string }> {
    return Secret.parse(JSON.parse(await readFile(this.#secret, "utf8")));
  }

  /** A session that has a claim on a server keeps it running, whoever holds the session. */
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
