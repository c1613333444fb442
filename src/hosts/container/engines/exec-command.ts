import type { ExecCommand } from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";

/** Returns the command. Throws if it contains a NUL character, at which the kernel would cut an argument. */
export function withoutNul(command: ExecCommand): ExecCommand {
  const { args, env = {} } = command;
  if (![...args, ...Object.values(env)].some((text) => text.includes("\0"))) return command;
  throw new HalyardError(
    "invalid_input",
    "An argument or variable contains a NUL character. Remove it.",
  );
}
