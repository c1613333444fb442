import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** Returns the files below a directory that contain a secret. */
export async function filesWith(directory: string, secret: string): Promise<string[]> {
  const files = await filesIn(directory);
  // Ignores files that cannot be read, because the running program may have deleted one.
  const contents = await Promise.all(files.map((file) => readFile(file, "latin1").catch(() => "")));
  return files.filter((_, index) => contents[index]?.includes(secret));
}

/** Returns the files below a directory that contain a secret and grant access to the group or to other users. */
export async function publicFilesWith(directory: string, secret: string): Promise<string[]> {
  const files = await filesWith(directory, secret);
  const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode));
  return files.filter((_, index) => ((modes[index] ?? 0) & 0o077) !== 0);
}

/** Returns all files below a directory. Ignores subdirectories that are deleted during the search. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
    return filesIn(path).catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
  });
  return (await Promise.all(found)).flat();
}
