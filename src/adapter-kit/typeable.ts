import { stripVTControlCharacters } from "node:util";

/**
 * Removes escape sequences and control characters, except tabs and line breaks, from a text that is typed into a
 * program on a screen. The program would interpret them as keys, and an escape sequence could end the paste. Every line
 * break becomes `\n`.
 */
export function typeable(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/\r\n?/g, "\n"))
    .replaceAll(/\p{Cs}/gu, "\ufffd") // a lone surrogate has no UTF-8 encoding
    .replaceAll(CONTROLS, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
