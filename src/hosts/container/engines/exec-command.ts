import type { ExecCommand } from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";

/**
 * Returns the command unchanged. Throws if an argument or a variable contains a NUL character, because the kernel would
 * truncate the text there.
 */
export function withoutNul(command: ExecCommand): ExecCommand {
  const { args, env = {} } = command;
  if (![...args, ...Object.values(env)].some((text) => text.includes("\0"))) return command;
  throw new HalyardError(
    "invalid_input",
    "An argument or environment variable contains a NUL character. Remove the character.",
  );
}
