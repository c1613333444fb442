import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the disk space that the content of a directory uses, in bytes, without following links. Returns 0 if the
 * directory does not exist or any of its content cannot be read.
 */
export async function directoryBytes(path: string): Promise<number> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const sizes = entries.map(async (entry) => bytesOf(join(entry.parentPath, entry.name)));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  } catch {
    return 0; // treat missing or unreadable content as empty, because the size is only informative
  }
}

async function bytesOf(path: string): Promise<number> {
  const { blocks } = await lstat(path);
  return blocks * 512;
}
