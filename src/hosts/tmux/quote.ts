/** Formats one command in tmux syntax with literal arguments. */
export function toLine(args: readonly string[]): string {
  return `${toCommand(args)}\n`;
}

/** Formats several commands as one argument, for commands such as `if-shell`. */
export function toBlock(commands: readonly (readonly string[])[]): string {
  return commands.map(toCommand).join(" ; ");
}

function toCommand(args: readonly string[]): string {
  return args.map(quote).join(" ");
}

/**
 * Quotes an argument with single quotes and escapes single quotes and line breaks, because tmux would drop leading
 * blanks after a line break. Does not escape formats: never pass external text to an argument that tmux expands, such
 * as `-c`, `-n`, `-t` or a message.
 */
function quote(arg: string): string {
  return `'${arg.replaceAll("'", "'\\''").replaceAll("\n", `'"\\n"'`)}'`;
}
