import { statSync } from "node:fs";

/**
 * True if a file above the working directory was put there by another user: neither by the current one, nor by root, nor by
 * the owner of the working directory. Such a file is not believed, as anybody can write to `/tmp`.
 */
export function isForeign(path: string, cwd: string): boolean {
  const owner = ownerOf(path);
  return owner !== undefined && ![process.getuid?.() ?? owner, 0, ownerOf(cwd)].includes(owner);
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined; // whoever reads it says what is wrong with it
  }
}
