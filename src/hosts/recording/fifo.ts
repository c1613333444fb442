import { execFile } from "node:child_process";
import { lstatSync, renameSync, rmSync } from "node:fs";
import { promisify } from "node:util";

/** Node cannot make one itself, and asking a program for it takes longer than starting an agent. */
export async function makeFifo(path: string): Promise<void> {
  await promisify(execFile)("mkfifo", ["-m", "600", path]);
}

/** Puts the FIFO that was kept at `spare` in place. False where one has to be made, and whatever is wrong shows then. */
export function takeSpareFifo(spare: string, path: string): boolean {
  try {
    renameSync(spare, path);
  } catch {
    return false; // another start was quicker, or the run directories are on another file system
  }
  if (lstatSync(path).isFIFO()) return true;
  rmSync(path, { recursive: true }); // a backup may have made a file of it
  return false;
}
