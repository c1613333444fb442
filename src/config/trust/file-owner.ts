import { lstatSync, statSync } from "node:fs";

/**
 * True if a configuration file belongs neither to the current user, nor to root, nor to the owner of the working
 * directory. Such a file is ignored, because any user can create a file in `/tmp`, which may be above the working
 * directory.
 */
export function isForeign(path: string, cwd: string): boolean {
  const isOf = (owner: number | undefined) =>
    owner === undefined || [process.getuid?.() ?? owner, 0, ownerOf(cwd, statSync)].includes(owner);
  // Check both the link and its target: another user's link may point to a file of this user.
  return !isOf(ownerOf(path, lstatSync)) || !isOf(ownerOf(path, statSync));
}

function ownerOf(path: string, read: typeof statSync | typeof lstatSync): number | undefined {
  try {
    return read(path, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined; // the code that reads the file reports the error
  }
}
