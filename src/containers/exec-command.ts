import { HalyardError } from "../core/error.ts";
import type { ExecCommand } from "./container-runtime.ts";

/** The command itself, if the kernel could take it: an argument ends at its first NUL. */
export function withoutNul(command: ExecCommand): ExecCommand {
  const { args, env = {} } = command;
  if (![...args, ...Object.values(env)].some((text) => text.includes("\0"))) return command;
  throw new HalyardError(
    "invalid_input",
    "an argument or variable holds a NUL character: leave it out",
  );
}
