import { readdirSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isWithin } from "../files/is-within.ts";

/**
 * Returns the directories and files that a session must not edit without permission. A worktree is inside Halyard's
 * home, so a directory that contains the working directory is replaced by all of its other entries.
 */
export function protectedFrom(cwd: string, directories: readonly string[]): string[] {
  return directories.flatMap((directory) => {
    const [inside, outside] = [realIfExists(cwd), realIfExists(directory)];
    if (!isWithin(inside, outside) || inside === outside) return [directory];
    return besides(outside, relative(outside, inside).split(sep));
  });
}

/**
 * Returns all entries beside a path: the entries of the directory, and of each directory on the path, that are not on
 * the path.
 */
function besides(directory: string, [next = "", ...rest]: readonly string[]): string[] {
  const others = entriesOf(directory).filter((name) => name !== next);
  const here = others.map((name) => join(directory, name));
  return rest.length === 0 ? here : [...here, ...besides(join(directory, next), rest)];
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function realIfExists(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
