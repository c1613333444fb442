import { accessSync, constants, statSync } from "node:fs";
import { HalyardError, reasonOf } from "../../core/error.ts";
import { errno } from "./errno.ts";
import { createRunFiles, type RunFiles, removeRunFiles } from "./run-files.ts";

/** Makes a place to record a program in. What a start that came to nothing has left is cleared away. */
export async function prepareRunFiles(
  runDir: string,
  files: RunFiles,
  spareFifo?: string,
): Promise<void> {
  try {
    removeRunFiles(files);
    await createRunFiles(runDir, files, spareFifo);
  } catch (error) {
    throw explainRunDir(error, runDir);
  }
}

/** A recording is never written over. */
export function occupied(runDir: string): HalyardError {
  return new HalyardError(
    "start_failed",
    `${runDir} holds the recording of another program. Attach to that one, or remove the directory.`,
  );
}

/** The system says ENOENT for a missing directory as for a missing program: tell them apart beforehand. */
export function checkDirectory(cwd: string): void {
  const fault = directoryFault(cwd);
  if (fault === undefined) return;
  const message = `The working directory ${cwd} ${fault}. Create it, or choose another.`;
  throw new HalyardError("start_failed", message);
}

function directoryFault(cwd: string): string | undefined {
  try {
    const found = statSync(cwd, { throwIfNoEntry: false });
    if (found === undefined) return "does not exist";
    if (!found.isDirectory()) return "is not a directory";
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return `cannot be entered (${errno(error)})`;
  }
}

function explainRunDir(cause: unknown, runDir: string): HalyardError {
  const reason = reasonOf(cause);
  const message =
    errno(cause) === "ENOENT"
      ? "mkfifo was not found on the PATH. It comes with the system's core utilities."
      : `${runDir} cannot be prepared: ${reason}. Check its permissions, and the space left on the disk.`;
  return new HalyardError("start_failed", message, { cause });
}
