import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Returns the disk space of a directory and its content, without following links. Returns 0 if it does not exist. */
export async function directoryBytes(path: string): Promise<number> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const sizes = entries.map(async (entry) => bytesOf(join(entry.parentPath, entry.name)));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  } catch {
    return 0; // treat a missing or unreadable directory as empty, because the size is only informative
  }
}

async function bytesOf(path: string): Promise<number> {
  const { blocks } = await lstat(path);
  return blocks * 512;
}
