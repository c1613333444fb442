import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../errors/has-code.ts";

/**
 * Creates a directory and its missing parents. Node's own recursive `mkdir` never returns in a file system that reports
 * ENOENT for every new name, such as `/proc`; this function rejects.
 */
export async function makeDirectory(
  path: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  try {
    await makeOne(path, options);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    await makeDirectory(dirname(path), options);
    await makeOne(path, options);
  }
}

async function makeOne(path: string, options: { readonly mode?: number }): Promise<void> {
  try {
    await mkdir(path, options);
  } catch (error) {
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isThere) throw error;
  }
}
