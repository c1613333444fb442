import { stripVTControlCharacters } from "node:util";

/**
 * A text as it can be typed into a program on a screen: without escape sequences and control characters, which the
 * program would take for keys. An escape sequence could even end the paste that it is part of.
 */
export function typeable(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/\r\n?/g, "\n"))
    .replaceAll(/\p{Cs}/gu, "\ufffd") // half of a pair has no bytes of its own
    .replaceAll(CONTROLS, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
