import { existsSync } from "node:fs";
import { HalyardError, reasonOf } from "../../core/error.ts";
import type { Command } from "../../core/host.ts";
import { errno } from "../recording/errno.ts";

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
