/** Some characters of a text: from `start` up to and without `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A line break inside of a text that was wrapped, with the indentation, quote marks and borders of the next line. Line
 * breaks may be escaped, as in JSON.
 */
const GAP = /(?:\r?\n|(?:\\r)?\\n)(?:[ \t\r\n>|│]|\\[rn])*/g;

const ESCAPED_GAP = /(?:\\r)?\\n(?:[ \t\r\n>|│]|\\[rn])*/g;

export function hasGaps(text: string): boolean {
  return text.includes("\n") || text.includes("\\n");
}

/** The text without its gaps, as if it had never been wrapped. */
export function withoutGaps(text: string): string {
  return text.replace(GAP, "");
}

/** Calls `visit` for gaps of the text: a loop for line breaks, because texts have many, and an expression for the rest. */
export function visitGaps(text: string, visit: (start: number, end: number) => void): void {
  for (let at = text.indexOf("\n"); at !== -1; ) {
    let end = at + 1;
    while (isFiller(text.charCodeAt(end))) end++;
    visit(text.charCodeAt(at - 1) === 13 ? at - 1 : at, end);
    at = text.indexOf("\n", end);
  }
  if (!text.includes("\\n")) return;
  for (const { 0: gap, index } of text.matchAll(ESCAPED_GAP)) visit(index, index + gap.length);
}

function isFiller(code: number): boolean {
  if (code > 62) return code === 124 || code === 0x2502;
  return code === 32 || code === 10 || code === 13 || code === 9 || code === 62;
}

/** Returns a function from an index of the text without gaps to the index of the same character in the text. */
export function indexInWrapped(text: string): (index: number) => number {
  const starts: number[] = [];
  const shifts: number[] = [];
  let shift = 0;
  for (const { 0: gap, index } of text.matchAll(GAP)) {
    starts.push(index - shift);
    shift += gap.length;
    shifts.push(shift);
  }
  return (index) => index + (shifts[starts.findLastIndex((start) => start <= index)] ?? 0);
}
