import { stripVTControlCharacters } from "node:util";

/*
 * What agents and their tools print is not to be trusted with the terminal: an escape sequence can hide a
 * command, move the cursor or write to the clipboard.
 */

/** A whole text without anything that moves the cursor; a line that was overwritten shows its last state. */
export function cleanText(text: string): string {
  return cleanPiece(stripVTControlCharacters(text).replace(/\r+\n/g, "\n").replace(/^.*\r/gm, ""));
}

/** The same in one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** The same for a piece of a stream, where a sequence may begin in one piece and end in the next. */
export function cleanPiece(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}
