import { accessSync, constants, statSync } from "node:fs";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { errno } from "./errno.ts";
import { createRunFiles, type RunFiles, removeRunFiles } from "./run-files.ts";

/** Prepares a run directory for a program. Removes the files that a failed start left. */
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

/** Returns the error for a run directory in which a program was already started. Its recording must not be overwritten. */
export function runDirInUse(runDir: string): HalyardError {
  return new HalyardError(
    "start_failed",
    `${runDir} contains the recording of another program. Attach to that program, or remove the directory.`,
  );
}

/**
 * Throws if the working directory is missing, is not a directory, or is not accessible. Checked separately, because the
 * system reports ENOENT both for a missing directory and for a missing program.
 */
export function checkDirectory(cwd: string): void {
  const fault = directoryFault(cwd);
  if (fault === undefined) return;
  const message = `The working directory ${cwd} ${fault}. Choose an existing directory to which you have access.`;
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
    return `is not accessible (${errno(error)})`;
  }
}

function explainRunDir(cause: unknown, runDir: string): HalyardError {
  const reason = reasonOf(cause);
  const message =
    errno(cause) === "ENOENT"
      ? "mkfifo was not found on the PATH. Install the system's core utilities."
      : `${runDir} cannot be prepared: ${reason}. Check its permissions and the free disk space.`;
  return new HalyardError("start_failed", message, { cause });
}
