import { gitSubcommand, plainPrograms, runners } from "./launching-programs.ts";

/** The scope of a rule for commands. */
export interface CoveredCommand {
  /** The program, the program with its subcommand, or the whole command. */
  readonly program: string;
  /** True if the rule covers the whole command only. */
  readonly isExact: boolean;
}

/**
 * Returns the scope of a rule for a simple command: all commands of a program in `plainPrograms` or of a harmless git
 * subcommand, otherwise the identical command. Returns undefined for shell syntax, such as several commands,
 * substitutions, redirections or variables. Also returns undefined for a program that is named by a path or preceded by
 * variables, and for a program in `runners`.
 */
export function coveredCommand(command: string): CoveredCommand | undefined {
  const text = command.trim();
  if (/[;&|<>`$(){}\\\p{Cc}]/u.test(text)) return undefined;
  if (/["']/.test(text.replaceAll(/'[^']*'|"[^"]*"/g, ""))) return undefined;
  const [program = "", ...words] = text.split(" "); // tabs and line breaks were rejected above
  if (!/^[A-Za-z0-9_][\w.+-]*$/.test(program)) return undefined;
  const name = program.toLowerCase(); // compared in lower case, because some file systems ignore case
  const base = name.replace(/[-.\d]+$/, "");
  if (runners.has(name) || runners.has(base)) return undefined;
  if (plainPrograms.has(program)) return { program, isExact: false };
  const subcommand = program === "git" ? gitSubcommand(words) : undefined;
  return subcommand === undefined
    ? { program: text, isExact: true }
    : { program: `git ${subcommand}`, isExact: false };
}
