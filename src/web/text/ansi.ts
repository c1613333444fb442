import { cleanText } from "./clean.ts";

/** The appearance of a part of a line. Colors are CSS values. */
export interface AnsiStyle {
  readonly color?: string;
  readonly background?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  readonly isInverse?: boolean;
}

/** A part of a line in one style. */
export interface AnsiPart {
  readonly text: string;
  readonly style: AnsiStyle;
}

/** Parses lines with SGR escape sequences. A style continues on the next line. Other sequences are removed. */
export function parseAnsi(lines: readonly string[]): AnsiPart[][] {
  let style: AnsiStyle = {};
  return lines.map((line) => {
    const parts: AnsiPart[] = [];
    // `split` with a capture group returns texts at even indexes, and the following sequence's parameters at odd
    // indexes.
    for (const [index, piece] of line.split(SGR).entries()) {
      if (index % 2 === 1) style = applyCodes(style, piece);
      else if (piece !== "") parts.push({ text: cleanText(piece), style });
    }
    return parts;
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const SGR = /\u001b\[([\d;:]*)m/;

function applyCodes(before: AnsiStyle, parameters: string): AnsiStyle {
  let style = before;
  const codes = parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = extendedColor(codes.slice(at + 1));
      style = withColor(style, code === 38 ? "color" : "background", color);
      at += used;
    } else style = applyCode(style, code);
  }
  return style;
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  const switched = switches[code];
  if (code === 0) return {};
  if (switched) return { ...style, ...switched };
  if (code >= 30 && code <= 37) return { ...style, color: named(code - 30) };
  if (code >= 90 && code <= 97) return { ...style, color: named(code - 82) };
  if (code >= 40 && code <= 47) return { ...style, background: named(code - 40) };
  if (code >= 100 && code <= 107) return { ...style, background: named(code - 92) };
  if (code === 39) return withColor(style, "color", undefined);
  if (code === 49) return withColor(style, "background", undefined);
  return style;
}

const switches: Readonly<Record<number, AnsiStyle>> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
};

/** Returns the color after 38 or 48, and how many codes describe it. */
function extendedColor([kind, ...rest]: readonly number[]): readonly [string | undefined, number] {
  const [a = 0, b = 0, c = 0] = rest;
  if (kind === 2) return [`rgb(${byte(a)} ${byte(b)} ${byte(c)})`, 4];
  if (kind === 5) return [paletteColor(byte(a)), 2];
  return [undefined, 1];
}

/** Returns a color from the 256-color palette: 16 named colors, a cube of 216 colors, and 24 grays. */
function paletteColor(index: number): string {
  if (index < 16) return named(index);
  if (index >= 232) {
    const gray = 8 + (index - 232) * 10;
    return `rgb(${gray} ${gray} ${gray})`;
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const at = index - 16;
  const [red, green, blue] = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(level);
  return `rgb(${red} ${green} ${blue})`;
}

function named(index: number): string {
  return `var(--ansi-${index})`;
}

function byte(value: number): number {
  return Math.min(255, Math.max(0, value));
}

function withColor(
  { color, background, ...rest }: AnsiStyle,
  name: "color" | "background",
  value: string | undefined,
): AnsiStyle {
  const colors = { color, background, [name]: value };
  return {
    ...rest,
    ...(colors.color !== undefined && { color: colors.color }),
    ...(colors.background !== undefined && { background: colors.background }),
  };
}
