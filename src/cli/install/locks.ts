import { readFile } from "node:fs/promises";
import { locksDirectory } from "../package-directories.ts";

/** The directory with the lockfile of something that is installed on demand. */
export function lockOf(name: string): URL {
  return new URL(`${name}/`, locksDirectory);
}

/** The files that npm needs to install from a lock directory: name → content. */
export async function readLock(lock: URL): Promise<Record<string, string>> {
  const names = ["package.json", "package-lock.json"];
  const files = names.map(async (name) => [name, await readFile(new URL(name, lock), "utf8")]);
  return Object.fromEntries(await Promise.all(files));
}
