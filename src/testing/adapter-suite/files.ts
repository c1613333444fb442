import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** The files in a directory that hold a secret. */
export async function filesWith(directory: string, secret: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  // The program still runs, and a file of its may be gone by now.
  const contents = await Promise.all(files.map((file) => readFile(file, "latin1").catch(() => "")));
  return files.filter((_, index) => contents[index]?.includes(secret));
}

/** Those of them that others than their owner can read. */
export async function publicFilesWith(directory: string, secret: string): Promise<string[]> {
  const files = await filesWith(directory, secret);
  const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode));
  return files.filter((_, index) => ((modes[index] ?? 0) & 0o077) !== 0);
}
