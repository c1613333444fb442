import { didYouMean } from "../../errors/did-you-mean.ts";

/** A line typed at the prompt of `attach` or `run`. */
export type TypedLine =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "command"; readonly name: CommandName; readonly rest: string }
  | { readonly kind: "unknown"; readonly name: string };

/** The commands that the prompt accepts, with their arguments. */
export const slashCommands = {
  help: { argument: "", about: "show this list" },
  steer: { argument: "MESSAGE", about: "send a message into the running turn" },
  interrupt: { argument: "[MESSAGE]", about: "end the running turn, then send MESSAGE" },
  model: { argument: "NAME", about: "use another model at the same endpoint" },
  diff: { argument: "", about: "show the file changes of this turn" },
  requests: { argument: "", about: "show the open requests in full" },
  detach: { argument: "", about: "leave; the daemon continues the session" },
  exit: { argument: "", about: "leave, as Ctrl-D does" },
} as const;

export type CommandName = keyof typeof slashCommands;

/**
 * Parses a typed line. `/word` alone or before a space is a command; `//word` sends `/word`. A path such as
 * `/etc/hosts` is text, because no command has a second slash.
 */
export function parseTypedLine(line: string): TypedLine {
  const text = line.trim();
  if (text.startsWith("//")) return { kind: "message", text: text.slice(1) };
  const [, name, rest = ""] = /^\/([^\s/]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (name === undefined) return { kind: "message", text };
  return isCommand(name) ? { kind: "command", name, rest } : { kind: "unknown", name };
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(slashCommands, name);
}

/** Returns a sentence that suggests a command for a misspelled name, or an empty string if none is similar. */
export function meantCommand(name: string): string {
  return didYouMean(
    `/${name}`,
    Object.keys(slashCommands).map((command) => `/${command}`),
  );
}

export interface SlashHelpOptions {
  /** True if this process owns the session: Ctrl-D stops the session, and Ctrl-Z hands it over to the daemon. */
  readonly ownsSession: boolean;
  /** The width of the console. */
  readonly columns: number;
}

/** Returns the help for commands and keys. On a narrow console, each description is below its command. */
export function slashHelp({ ownsSession, columns }: SlashHelpOptions): string[] {
  const rows = [
    ...Object.entries(slashCommands).map(([name, { argument, about }]) => [
      `/${name} ${argument}`.trim(),
      about,
    ]),
    ["//TEXT", "send a message that begins with a slash"],
    ["Ctrl-C", "interrupt the running turn"],
    ...(ownsSession
      ? [
          ["Ctrl-Z", "leave; the daemon continues the session"],
          ["Ctrl-D", "stop the session and leave"],
        ]
      : [["Ctrl-D", "leave; the session continues"]]),
  ];
  const lines = rows.map(([name = "", about]) => `  ${name.padEnd(22)}${about}`);
  return lines.every((line) => line.length <= columns)
    ? lines
    : rows.flatMap(([name, about]) => [`  ${name}`, `    ${about}`]);
}
