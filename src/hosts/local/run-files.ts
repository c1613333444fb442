import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

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
    record: join(runDir, "process.json"),
  };
}

/** All but the record. */
export async function createRunFiles(runDir: string, files: RunFiles): Promise<void> {
  const empty = { flag: "wx", mode: 0o600 };
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  await Promise.all([
    promisify(execFile)("mkfifo", ["-m", "600", files.stdin]),
    writeFile(files.stdout, "", empty),
    writeFile(files.stderr, "", empty),
  ]);
}

/** Of a program that never ran. */
export async function removeRunFiles(files: RunFiles): Promise<void> {
  await Promise.all(Object.values(files).map((file) => rm(file, { force: true })));
}
