import { execFile } from "node:child_process";
import { lstatSync, renameSync, rmSync } from "node:fs";
import { promisify } from "node:util";

/**
 * Creates a FIFO with `mkfifo`, because Node has no function for it. This can take longer than starting an agent, so
 * hosts prepare a FIFO in advance.
 */
export async function makeFifo(path: string): Promise<void> {
  await promisify(execFile)("mkfifo", ["-m", "600", path]);
}

/** Moves the prepared FIFO from `spare` to `path`. Returns false if there is none. */
export function useSpareFifo(spare: string, path: string): boolean {
  try {
    renameSync(spare, path);
  } catch {
    return false; // another start used it, or the run directories are on another file system
  }
  if (lstatSync(path).isFIFO()) return true;
  rmSync(path, { recursive: true }); // for example, a backup replaced the FIFO with a file
  return false;
}
