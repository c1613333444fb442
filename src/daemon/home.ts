import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeError } from "../errors/home-error.ts";
import { makeDirectory } from "../files/make-directory.ts";

/** Creates the home directory if it is missing. Rejects if a file of 64 KiB cannot be written there. */
export async function prepareHome(home: string): Promise<void> {
  const sample = join(home, `.sample-${randomUUID()}`);
  try {
    await makeDirectory(home, { mode: 0o700 });
    try {
      await writeFile(sample, Buffer.alloc(NEEDED_BYTES), { mode: 0o600 });
    } finally {
      await rm(sample, { force: true });
    }
  } catch (cause) {
    throw homeError(`Cannot start a daemon in ${home}`, cause);
  }
}

/** The required free space in bytes: more than a daemon writes before it is ready. */
const NEEDED_BYTES = 64 * 1024;
