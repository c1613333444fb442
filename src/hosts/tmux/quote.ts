/** One command in tmux's own language, each word taken literally. */
export function toLine(words: readonly string[]): string {
  return `${toCommand(words)}\n`;
}

/** Several commands as one word, for a command that runs others. */
export function toBlock(commands: readonly (readonly string[])[]): string {
  return commands.map(toCommand).join(" ; ");
}

function toCommand(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

/**
 * Nothing is special between single quotes, so only those are escaped, and line ends: there tmux would drop the blanks
 * that the next line begins with. This does not escape formats: never pass text from outside to an argument that tmux
 * expands, such as `-c`, `-n`, `-t` or a message.
 */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''").replaceAll("\n", `'"\\n"'`)}'`;
}
