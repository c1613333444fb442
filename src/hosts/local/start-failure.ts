import { accessSync, constants, existsSync, statSync } from "node:fs";
import { HalyardError } from "../../core/error.ts";
import type { Command } from "../../core/host.ts";
import { errno } from "./errno.ts";

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

/** Why a program could not be started, and what to do about it. */
export function explainSpawn(cause: unknown, command: Command): HalyardError {
  return new HalyardError("start_failed", spawnMessage(cause, command), { cause });
}

function spawnMessage(cause: unknown, { file }: Command): string {
  switch (errno(cause)) {
    case "ENOENT":
      return notFound(file);
    case "EACCES":
      return `${file} may not be executed. Check that it is a program, and its permissions (chmod +x).`;
    case "E2BIG":
      return `${file} was given more arguments and environment than the system allows. Make them shorter.`;
    case "EMFILE":
    case "ENFILE":
    case "EAGAIN":
      return `${file} could not be started: too many files or processes are open. End some, or raise the limit (ulimit).`;
    default:
      return `${file} could not be started: ${reasonOf(cause)}.`;
  }
}

function notFound(file: string): string {
  if (!file.includes("/"))
    return `${file} was not found on the PATH. Install it, or give its full path.`;
  return existsSync(file)
    ? `${file} exists, but the interpreter named in its first line does not. Install that.`
    : `${file} does not exist. Check the path.`;
}

/** Why there is no place to record a program. */
export function explainRunDir(cause: unknown, runDir: string): HalyardError {
  const message =
    errno(cause) === "ENOENT"
      ? "mkfifo was not found on the PATH. It comes with the system's core utilities."
      : `${runDir} cannot be prepared: ${reasonOf(cause)}. Check its permissions, and the space left on the disk.`;
  return new HalyardError("start_failed", message, { cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
