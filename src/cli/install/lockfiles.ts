import { readFile } from "node:fs/promises";
import { locksDirectory } from "../package-directories.ts";

/** Returns the directory with the lockfile of a package that is installed on demand. */
export function lockfileDirectory(name: string): URL {
  return new URL(`${name}/`, locksDirectory);
}

/** Reads the files that npm needs for an installation. Returns their contents by file name. */
export async function readLockfile(lock: URL): Promise<Record<string, string>> {
  const names = ["package.json", "package-lock.json"];
  const files = names.map(async (name) => [name, await readFile(new URL(name, lock), "utf8")]);
  return Object.fromEntries(await Promise.all(files));
}
