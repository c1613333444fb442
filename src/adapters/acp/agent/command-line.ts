import { HalyardError } from "../../../errors/error.ts";

/**
 * Splits a command line at whitespace. Quotes and backslashes work as in a shell; variables and patterns are not
 * expanded. Throws `invalid_input` if a quote is not closed.
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < line.length) {
      const next = line.charAt(++at);
      const isPlain = quote === '"' && next !== '"' && next !== "\\";
      word = (word ?? "") + (isPlain ? `\\${next}` : next);
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined)
    throw new HalyardError(
      "invalid_input",
      `The command has an unclosed quote. Add the closing ${quote} to: ${line}`,
    );
  return word === undefined ? words : [...words, word];
}
