/**
 * Returns the text without escape sequences, control characters and characters that change the direction of text. Keeps
 * tabs and newlines. If a carriage return overwrites a line, only the last version of the line remains.
 */
export function cleanText(text: string): string {
  if (text.search(UNSAFE) < 0) return text;
  return text
    .replace(ESCAPE_SEQUENCE, "")
    .replace(/\r+\n/g, "\n")
    .replace(/^.*\r/gm, "")
    .replace(UNSAFE, "");
}

/** Writes invisible characters as escapes such as `\u202e`, so that no part of a command can be hidden. */
export function visibleText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)?.toString(16) ?? "";
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** Returns the first line that is not blank. */
export function firstLine(text: string): string {
  return /\S.*/.exec(text)?.[0].trimEnd() ?? "";
}

const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters to remove them
  /[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters to remove them
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters to show them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;
