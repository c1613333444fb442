import { mkdirSync, rmSync, statfsSync } from "node:fs";

/**
 * The directory for the temporary files of unit tests: in memory if there is enough space, because each new database
 * waits for the disk several times. Undefined if the tests use the temporary directory of the system.
 */
export const memoryDisk = hasRoom("/dev/shm") ? `/dev/shm/halyard-${process.pid}` : undefined;

/** Creates the directory before the tests, and removes it after them. */
export function setup(): (() => void) | undefined {
  if (memoryDisk === undefined) return undefined;
  mkdirSync(memoryDisk, { recursive: true, mode: 0o700 });
  return () => rmSync(memoryDisk, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * True if the directory has more than 4 GiB of free space. Some tests write files of 50 MiB or more, and in a
 * container, `/dev/shm` often has only 64 MiB.
 */
function hasRoom(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize > 4 * 2 ** 30;
  } catch {
    return false;
  }
}
