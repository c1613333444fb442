/** Quotes a word so that a POSIX shell interprets it literally. */
export function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
