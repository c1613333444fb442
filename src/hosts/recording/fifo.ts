import { execFile } from "node:child_process";
import { lstatSync, renameSync, rmSync } from "node:fs";
import { promisify } from "node:util";

/**
 * Creates a FIFO with `mkfifo`, because Node has no function for it. This can take longer than starting an agent, so
 * the same `mkfifo` process also prepares a FIFO for the next program at `spare`. Ignores a failure to create the spare
 * FIFO.
 */
export async function makeFifo(path: string, spare?: string): Promise<void> {
  const paths = spare === undefined ? [path] : [path, spare];
  try {
    await promisify(execFile)("mkfifo", ["-m", "600", ...paths]);
  } catch (error) {
    if (spare === undefined || !isFifo(path)) throw error; // otherwise only the spare FIFO failed
  }
}

/** Moves the prepared FIFO from `spare` to `path`. Returns false if there is none, or if the file is not a FIFO. */
export function useSpareFifo(spare: string, path: string): boolean {
  try {
    renameSync(spare, path);
  } catch {
    return false; // another start used it, or the run directories are on another file system
  }
  if (isFifo(path)) return true;
  rmSync(path, { recursive: true }); // for example, a backup replaced the FIFO with a file
  return false;
}

function isFifo(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
}
