import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";

/** Writes a value as JSON, atomically: a reader reads either the old or the new content. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await replaceFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

/**
 * Writes a text file atomically. Creates its directory if it is missing. `mode`, which defaults to 0666, is reduced by
 * the umask of the process.
 */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  await makeDirectory(dirname(path));
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
