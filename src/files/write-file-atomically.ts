import { randomUUID } from "node:crypto";
import { chown, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file atomically, with mode 0600. If this process runs as root, the file gets the owner of its directory,
 * which may be the container's user.
 */
export async function writeFileAtomically(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID().slice(0, 8)}.new`; // the name is unique, so that two writers do not conflict
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await chownToOwnerOf(draft, dirname(file));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function chownToOwnerOf(file: string, directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  if (uid !== 0) await chown(file, uid, gid);
}
