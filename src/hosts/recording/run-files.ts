import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFifo, takeSpareFifo } from "./fifo.ts";

/** What a program has in its run directory: the place where it is found again. */
export interface RunFiles {
  /** A FIFO. */
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Who it is, see `ProcessRecord`. */
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

/** The name of the record in a run directory. */
export const RECORD_FILE = "process.json";

/** The directory, and the FIFO in it: the spare one, where there is. The rest is made when the program is started. */
export async function createRunFiles(
  runDir: string,
  files: RunFiles,
  spareFifo?: string,
): Promise<void> {
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  if (spareFifo !== undefined && takeSpareFifo(spareFifo, files.stdin)) return;
  await makeFifo(files.stdin);
}

/** Of a program that never ran. */
export function removeRunFiles(files: RunFiles): void {
  for (const file of Object.values(files)) rmSync(file, { force: true });
}
