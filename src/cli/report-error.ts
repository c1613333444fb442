import { CommanderError } from "commander";
import { errorInfo, toErrorInfo } from "../core/error.ts";
import type { ErrorInfo } from "../schema/error.ts";
import { errorTable } from "../schema/error-table.ts";
import { errorLine, errorText } from "./output/errors.ts";
import { isBrokenPipe } from "./output/sink.ts";
import { openTerminal } from "./terminal.ts";

/** Tells of what ended a command, on standard error and, for programs, on standard output; gives the exit code. */
export async function reportError(error: unknown, argv: readonly string[]): Promise<number> {
  if (isBrokenPipe(error)) return 0;
  const { out, err, env } = openTerminal();
  const info = error instanceof CommanderError ? usageError(error, argv) : toErrorInfo(error);
  if (wantsJson(argv)) await out.write(errorLine(info));
  await err.write(errorText(info, err.colors));
  if (env.HALYARD_DEBUG && error instanceof Error) await err.write(`${withCauses(error)}\n`);
  else if (info.code === "internal" && !isOfTheMachine(error)) await err.write(OUR_FAULT);
  return errorTable[info.code].exitCode;
}

const OUR_FAULT =
  "This looks like a fault in Halyard. HALYARD_DEBUG=1 shows where it happened; please report it.\n";

/** The operating system said no: a full disk, a missing right. */
function isOfTheMachine(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** What commander says, without its prefix and with the way to help. */
function usageError(error: CommanderError, argv: readonly string[]): ErrorInfo {
  const message = error.message.replace(/^error: /, "");
  const [, , command = ""] = argv;
  const isCommand = error.code !== "commander.unknownCommand" && /^[a-z]+$/.test(command);
  const help = `See halyard ${isCommand ? `${command} ` : ""}--help.`;
  return errorInfo("invalid_input", `${message}\n${help}`);
}

/** Read from the words themselves: where they could not be parsed there are no options to ask. */
function wantsJson(argv: readonly string[]): boolean {
  const at = argv.lastIndexOf("--format");
  return argv.includes("--format=json") || (at > 0 && argv[at + 1] === "json");
}

function withCauses(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${withCauses(error.cause)}` : "";
  return `${error.stack}${cause}`;
}
