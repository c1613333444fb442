/** A command in tmux's own language, each word taken as it is. */
export function toLine(words: readonly string[]): string {
  return `${words.map(quote).join(" ")}\n`;
}

/**
 * Nothing is special between single quotes, so only those have to be let out, and the ends of lines: there tmux would
 * leave out the blanks that the next one begins with.
 */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''").replaceAll("\n", `'"\\n"'`)}'`;
}
