/** A command in tmux's own language, each word taken as it is. */
export function toLine(words: readonly string[]): string {
  return `${words.map(quote).join(" ")}\n`;
}

/** Nothing is special between single quotes, so only those have to be let out. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
