import { access, stat } from "node:fs/promises";
import { HalyardError } from "../../core/error.ts";
import type { Command } from "../../core/host.ts";
import { errno } from "./errno.ts";

/** The system says ENOENT for a missing directory as for a missing program: tell them apart beforehand. */
export async function checkDirectory(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory()) return;
  const fault = found ? "is not a directory" : "does not exist";
  throw new HalyardError(
    "start_failed",
    `The working directory ${cwd} ${fault}. Create it, or choose another.`,
  );
}

/** Why a program could not be started, and what to do about it. */
export async function explainSpawn(cause: unknown, command: Command): Promise<HalyardError> {
  return new HalyardError("start_failed", await spawnMessage(cause, command), { cause });
}

async function spawnMessage(cause: unknown, { file }: Command): Promise<string> {
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

async function notFound(file: string): Promise<string> {
  if (!file.includes("/"))
    return `${file} was not found on the PATH. Install it, or give its full path.`;
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  return exists
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
