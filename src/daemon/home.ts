import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeError } from "../core/home-error.ts";

/** Makes the home, and rejects where a daemon could not write what it needs there. */
export async function prepareHome(home: string): Promise<void> {
  const sample = join(home, `.sample-${randomUUID()}`);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    try {
      await writeFile(sample, Buffer.alloc(NEEDED_BYTES), { mode: 0o600 });
    } finally {
      await rm(sample, { force: true });
    }
  } catch (cause) {
    throw homeError(`no daemon can be started in ${home}`, cause);
  }
}

/** As much as a daemon writes until it answers, and to spare. */
const NEEDED_BYTES = 64 * 1024;
