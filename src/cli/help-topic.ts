import { type Command, CommanderError } from "commander";

/** Returns the command that the arguments select, and the arguments after its name. */
export function findCommand(program: Command, [, , ...args]: readonly string[]): NamedCommand {
  let command = program;
  for (const [index, arg] of args.entries()) {
    const next = command.commands.find((one) => one.name() === arg);
    if (next === undefined) return { command, rest: args.slice(index) };
    command = next;
  }
  return { command, rest: [] };
}

interface NamedCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}

/**
 * Throws for "halyard help NAME" and "halyard COMMAND help NAME" if NAME is not a command. Commander would print the
 * list of all commands instead.
 */
export function requireHelpTopic(program: Command, argv: readonly string[]): void {
  const { command, rest } = findCommand(program, argv);
  const [help, topic] = rest;
  if (help !== "help" || command.commands.length === 0) return;
  if (topic === undefined || topic === "help" || topic.startsWith("-")) return;
  if (command.commands.some((one) => one.name() === topic)) return;
  throw new CommanderError(2, UNKNOWN_TOPIC, topic);
}

/** The error code for an unknown help topic. The error's message is the topic. */
export const UNKNOWN_TOPIC = "halyard.unknownTopic";
