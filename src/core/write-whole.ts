import { randomUUID } from "node:crypto";
import { chown, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a private file, whole or not at all. If root writes it, it belongs to the owner of its directory, who may be the
 * user of a container.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID().slice(0, 8)}.new`; // two writers do not share it
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await giveToOwner(draft, dirname(file));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function giveToOwner(file: string, directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  if (uid !== 0) await chown(file, uid, gid);
}
