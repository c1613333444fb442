import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFifo, useSpareFifo } from "./fifo.ts";

/** A program's files in its run directory. */
export interface RunFiles {
  /** The FIFO for standard input. */
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The record that identifies the program, such as `ProcessRecord`. */
  readonly record: string;
}

export function runFilesIn(runDir: string): RunFiles {
  return {
    stdin: join(runDir, "stdin"),
    stdout: join(runDir, "stdout"),
    stderr: join(runDir, "stderr"),
    record: join(runDir, RECORD_FILE),
  };
}

/** The file name of the record in a run directory. */
export const RECORD_FILE = "process.json";

/**
 * Creates the run directory, and moves the FIFO that was prepared at `spareFifo` into it. If there is none, creates a
 * FIFO in the directory and the next one at `spareFifo`. The other files are created when the program starts.
 */
export async function createRunFiles(
  runDir: string,
  files: RunFiles,
  spareFifo?: string,
): Promise<void> {
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  if (spareFifo !== undefined && useSpareFifo(spareFifo, files.stdin)) return;
  await makeFifo(files.stdin, spareFifo);
}

/** Removes a program's files from its run directory, for example after a failed start. */
export function removeRunFiles(files: RunFiles): void {
  for (const file of Object.values(files)) rmSync(file, { force: true });
}
