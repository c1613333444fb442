import { statSync } from "node:fs";

/**
 * True if a file above the working directory belongs neither to the current user, nor to root, nor to the owner of the
 * working directory. Such a file is ignored, because every user can write to `/tmp`.
 */
export function isForeign(path: string, cwd: string): boolean {
  const owner = ownerOf(path);
  return owner !== undefined && ![process.getuid?.() ?? owner, 0, ownerOf(cwd)].includes(owner);
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined; // the reader of the file reports the error
  }
}
