import { existsSync } from "node:fs";
import type { Command } from "../../contracts/host.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import { errno } from "../recording/errno.ts";

/** Returns the error for a program that could not be started. Its message states the cause and the next step. */
export function explainSpawn(cause: unknown, command: Command): HalyardError {
  return new HalyardError("start_failed", spawnMessage(cause, command), { cause });
}

function spawnMessage(cause: unknown, { file }: Command): string {
  switch (errno(cause)) {
    case "ENOENT":
      return notFound(file);
    case "EACCES":
      return `${file} is not executable. Check that it is a program, and run "chmod +x ${file}".`;
    case "E2BIG":
      return `The arguments and environment of ${file} exceed the system limit. Make them shorter.`;
    case "EMFILE":
    case "ENFILE":
    case "EAGAIN":
      return `${file} could not be started: too many open files or processes. Stop some programs, or raise the limit with "ulimit".`;
    default:
      return `${file} could not be started: ${sentence(reasonOf(cause))} Run it in a console to find the cause.`;
  }
}

function notFound(file: string): string {
  if (!file.includes("/"))
    return `${file} was not found on the PATH. Install it, or pass its full path.`;
  return existsSync(file)
    ? `${file} exists, but the interpreter in its first line does not. Install the interpreter.`
    : `${file} does not exist. Check the path.`;
}
