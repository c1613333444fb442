import { execFile } from "node:child_process";
import { lstatSync, renameSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { errno } from "./errno.ts";

/** Node cannot make one itself, and asking a program for it takes longer than starting an agent. */
export async function makeFifo(path: string): Promise<void> {
  await promisify(execFile)("mkfifo", ["-m", "600", path]);
}

/** Puts the FIFO that was kept at `spare` in place. False where there is none: another start was quicker. */
export function takeSpareFifo(spare: string, path: string): boolean {
  try {
    renameSync(spare, path);
  } catch (error) {
    if (errno(error) === "ENOENT") return false;
    throw error;
  }
  if (lstatSync(path).isFIFO()) return true;
  rmSync(path); // a backup may have made a file of it
  return false;
}
