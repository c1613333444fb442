import { stripVTControlCharacters } from "node:util";

/*
 * The output of agents and their tools is not trusted: an escape sequence can hide a command, move the cursor or write
 * to the clipboard.
 */

/**
 * Removes escape sequences, and control characters except tabs and line breaks. If a line was overwritten, only its
 * final content remains.
 */
export function cleanText(text: string): string {
  return cleanPiece(stripVTControlCharacters(text).replace(/\r+\n/g, "\n").replace(/^.*\r/gm, ""));
}

/** Like `cleanText`, but returns a single line. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/**
 * Removes control characters from a piece of a stream. The rest of an escape sequence remains, because the sequence may
 * be split between two pieces.
 */
export function cleanPiece(text: string): string {
  return text.replace(UNSAFE, "");
}

/** Writes invisible characters as escapes such as `\r` or `\u202e`, so that no character is hidden. */
export function visibleText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(INVISIBLE, escapeCharacter);
}

/** True if the text contains characters that `visibleText` writes as escapes. */
export function hasInvisible(text: string): boolean {
  return visibleText(text) !== text;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)?.toString(16) ?? "";
  return SHORT[character] ?? (code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`);
}

const SHORT: Readonly<Record<string, string>> = { "\r": "\\r", "\u001b": "\\e", "\b": "\\b" };

// biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Characters without a glyph, except the joiners that emoji and some scripts need. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: shows control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;
