import type { Argument, Command, Option } from "commander";

/** A possible completion. */
export interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/** Looks up values that the command declarations do not contain. */
export interface Lookup {
  sessions(): Promise<Candidate[]>;
  requests(): Promise<Candidate[]>;
  runtimes(): Promise<Candidate[]>;
}

/**
 * Returns the completions of a command line's last word, which may be empty. Returns an empty list for values that only
 * the shell can complete, such as files.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  lookup: Lookup,
): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const { command, given, pending } = walk(program, words.slice(0, -1));
  const candidates = pending
    ? await valuesOf(pending, lookup)
    : typed.startsWith("-")
      ? optionsOf(command)
      : [...commandsOf(command), ...(await argumentsOf(command, given, lookup))];
  return candidates.filter(({ word }) => word.startsWith(typed));
}

interface Position {
  readonly command: Command;
  /** The number of command arguments before the last word. */
  readonly given: number;
  /** The option whose value is the last word. */
  readonly pending: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Position {
  let command = program;
  let given = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending) {
      pending = undefined;
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      pending = option?.required ? option : undefined;
    } else {
      const child = given === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (child) command = child;
      else given++;
    }
  }
  return { command, given, pending };
}

function commandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ word: one.name(), meaning: one.description() }));
}

function optionsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, description }) =>
    long ? [{ word: long, meaning: description }] : [],
  );
}

async function argumentsOf(command: Command, given: number, lookup: Lookup): Promise<Candidate[]> {
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const argument = all[given] ?? (last?.variadic ? last : undefined);
  return argument ? valuesOf(argument, lookup) : [];
}

async function valuesOf(target: Option | Argument, lookup: Lookup): Promise<Candidate[]> {
  if (target.argChoices) return target.argChoices.map((word) => ({ word, meaning: "" }));
  switch (target.name()) {
    case "session":
    case "sessions":
    case "resume":
      return lookup.sessions();
    case "request":
      return lookup.requests();
    case "runtime":
    case "names":
      return lookup.runtimes();
    default:
      return [];
  }
}
