import { type Command, CommanderError } from "commander";
import { didYouMean } from "../errors/did-you-mean.ts";
import { errorInfo, toErrorInfo } from "../errors/error.ts";
import { listInWords } from "../errors/list-in-words.ts";
import type { ErrorInfo } from "../schema/error.ts";
import { errorTable } from "../schema/error-table.ts";
import { openConsole } from "./console/console.ts";
import { UNKNOWN_TOPIC } from "./help-topic.ts";
import { errorLine, errorText } from "./output/errors.ts";
import { isBrokenPipe } from "./output/sink.ts";
import { wrapText } from "./text/wrap-words.ts";

/**
 * Writes an error to standard error and, with `--format json`, also to standard output. Returns the exit code. For a
 * closed pipe, writes nothing and returns 0. `command` is the command that the arguments name.
 */
export async function reportError(
  error: unknown,
  argv: readonly string[],
  command?: Command,
): Promise<number> {
  if (isBrokenPipe(error)) return 0;
  const { out, err, env } = openConsole();
  const info = error instanceof CommanderError ? usageError(error, command) : toErrorInfo(error);
  if (wantsJson(argv)) await out.write(errorLine(info));
  const text = errorText(info, err.colors);
  await err.write(err.isTTY ? wrapText(text, err.columns) : text);
  if (env.HALYARD_DEBUG && error instanceof Error) await err.write(`${withCauses(error)}\n`);
  else if (info.code === "internal" && !isSystemError(error)) await err.write(BUG_NOTE);
  return errorTable[info.code].exitCode;
}

const BUG_NOTE =
  "This looks like a bug in Halyard. Run the command again with HALYARD_DEBUG=1, and report the bug with the stack trace.\n";

/** True if a system call failed, for example because of a full disk or missing permissions. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** Converts a commander error: removes its prefix and adds the command that prints the help. */
function usageError(error: CommanderError, command?: Command): ErrorInfo {
  const message =
    error.code === UNKNOWN_TOPIC
      ? unknownTopic(error.message, command)
      : commandAdvice(error.message.replace(/^error: /, ""), command) + jsonAdvice(error, command);
  return errorInfo("invalid_input", `${message}\nRun "${fullName(command)} --help" for help.`);
}

function unknownTopic(topic: string, command?: Command): string {
  const names = (command?.commands ?? []).map((one) => one.name());
  return `unknown command '${topic}'${didYouMean(topic, names).replace(/^ (.*)$/, "\n($1)")}`;
}

/**
 * Suggests the full name of a nested command, such as "runtime doctor" for "doctor", and the equivalents of other
 * programs' commands.
 */
function commandAdvice(message: string, program?: Command): string {
  const [unknown, word = ""] = /^unknown command '(.*)'/.exec(message) ?? [];
  if (unknown === undefined || program?.parent) return message;
  const nested = (program?.commands ?? []).flatMap(({ commands }) =>
    commands.filter((one) => one.name() === word).map(fullName),
  );
  const names = [...(otherWords[word] ?? []).map((name) => `halyard ${name}`), ...nested];
  return names.length === 0 ? message : `${unknown}\n(Did you mean ${listInWords(names, "or")}?)`;
}

const otherWords: Readonly<Record<string, readonly string[]>> = {
  ask: ["run"],
  delete: ["rm"],
  exec: ["run"],
  kill: ["stop"],
  list: ["sessions"],
  logs: ["events"],
  ls: ["sessions"],
  remove: ["rm"],
  status: ["sessions"],
  tail: ["events --follow"],
};

/** Suggests `--format json` for the unknown option `--json`. */
function jsonAdvice({ code, message }: CommanderError, command?: Command): string {
  const isJson = code === "commander.unknownOption" && message.includes("'--json'");
  const canFormat = command?.options.some(({ long }) => long === "--format");
  return isJson && canFormat ? "\n(Did you mean --format json?)" : "";
}

/** Returns the full name of a command, such as "halyard runtime list". */
function fullName(command?: Command | null): string {
  if (!command) return "halyard";
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** True if the caller requested JSON. Searches the raw arguments, because failed parsing yields no options. */
function wantsJson(argv: readonly string[]): boolean {
  const at = argv.lastIndexOf("--format");
  return argv.includes("--format=json") || (at > 0 && argv[at + 1] === "json");
}

function withCauses(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${withCauses(error.cause)}` : "";
  return `${error.stack}${cause}`;
}
