import { stripVTControlCharacters } from "node:util";
import { eastAsianWidth } from "get-east-asian-width";

/** Returns the number of columns of a text: 2 for a wide letter or an emoji, 0 for a combining mark or a color code. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return clusters(stripVTControlCharacters(text)).reduce((sum, { width }) => sum + width, 0);
}

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Truncates the end of a text that is wider than `columns` and adds `…`. The text must not contain escape sequences.
 */
export function shorten(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return `${fitting(clusters(text), columns - 1).join("")}…`;
}

/** Like `shorten`, but truncates the start of the text. */
export function shortenLeft(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return `…${fitting(clusters(text).reverse(), columns - 1)
    .reverse()
    .join("")}`;
}

/** Pads a text with spaces to a number of columns. */
export function pad(text: string, columns: number): string {
  return `${text}${" ".repeat(Math.max(0, columns - displayWidth(text)))}`;
}

/** A visible character: a letter with its combining marks, or an emoji with its parts. */
interface Cluster {
  text: string;
  width: number;
}

function fitting(characters: readonly Cluster[], columns: number): string[] {
  const kept: string[] = [];
  let width = 0;
  for (const character of characters) {
    width += character.width;
    if (width > columns) break;
    kept.push(character.text);
  }
  return kept;
}

/** Splits a text into visible characters. Does not use `Intl.Segmenter`, which takes 100 ms to load. */
function clusters(text: string): Cluster[] {
  const found: Cluster[] = [];
  for (const character of text) {
    const last = found.at(-1);
    const isPart = ATTACHED.test(character) || last?.text.endsWith(JOINER);
    if (last && isPart) {
      last.text += character;
      if (character === EMOJI_STYLE && last.width === 1) last.width = 2;
    } else {
      const code = character.codePointAt(0) ?? 0;
      found.push({ text: character, width: ATTACHED.test(character) ? 0 : eastAsianWidth(code) });
    }
  }
  return found;
}

const JOINER = "\u200d";
const EMOJI_STYLE = "\ufe0f";

/** Characters that belong to the cluster before them: marks, format characters and skin tones. */
const ATTACHED = /^(?:[\p{Mn}\p{Me}\p{Cf}]|[\u{1f3fb}-\u{1f3ff}])$/u;
