/** A range of characters: from `start` up to, but not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A line break in wrapped text, with the filler before the next text: indentation, quote marks, borders and further line
 * breaks. Line breaks may be escaped, as in JSON.
 */
const GAP = /(?:\r?\n|(?:\\r)?\\n)(?:[ \t\r\n>|│]|\\[rn])*/g;

/** True if the text contains a line break, which may be escaped. */
export function hasGaps(text: string): boolean {
  return text.includes("\n") || text.includes("\\n");
}

/** Returns the text without its gaps, as it was before wrapping. */
export function withoutGaps(text: string): string {
  return text.replace(GAP, "");
}

/** Calls `visit` for each gap. Uses loops instead of a regular expression because texts have many line breaks. */
export function visitGaps(text: string, visit: (start: number, end: number) => void): void {
  for (let at = text.indexOf("\n"); at !== -1; ) {
    const end = gapEnd(text, at + 1);
    visit(text.charCodeAt(at - 1) === CARRIAGE_RETURN ? at - 1 : at, end);
    at = text.indexOf("\n", end);
  }
  for (let at = text.indexOf("\\n"); at !== -1; ) {
    const end = gapEnd(text, at + 2);
    visit(text.startsWith("\\r", at - 2) ? at - 2 : at, end);
    at = text.indexOf("\\n", end);
  }
}

/** Returns the end of the filler after a line break. */
function gapEnd(text: string, from: number): number {
  let end = from;
  for (let size = fillerAt(text, end); size > 0; size = fillerAt(text, end)) end += size;
  return end;
}

/** Returns the length of the filler at this index: one character, or an escaped line break. */
function fillerAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code !== BACKSLASH) return isFiller(code) ? 1 : 0;
  const escaped = text.charCodeAt(at + 1);
  return escaped === LETTER_N || escaped === LETTER_R ? 2 : 0;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BACKSLASH = 92;
const LETTER_N = 110;
const LETTER_R = 114;

function isFiller(code: number): boolean {
  if (code > 62) return code === 124 || code === 0x2502;
  return code === 32 || code === 10 || code === 13 || code === 9 || code === 62;
}

/** True if a gap may start with this character code. */
export function mayBeginGap(code: number): boolean {
  return code === LINE_FEED || code === CARRIAGE_RETURN || code === BACKSLASH;
}

/** True if a gap may end with this character code: filler, or the letter of an escaped line break. */
export function mayEndGap(code: number): boolean {
  return isFiller(code) || code === LETTER_N || code === LETTER_R;
}

/** Returns a function that maps an index in the text without gaps to the index in the wrapped text. */
export function indexInWrapped(text: string): (index: number) => number {
  const starts: number[] = [];
  const shifts: number[] = [];
  let shift = 0;
  for (const { 0: gap, index } of text.matchAll(GAP)) {
    starts.push(index - shift);
    shift += gap.length;
    shifts.push(shift);
  }
  return (index) => index + (shifts[lastAtMost(starts, index)] ?? 0);
}

/** Returns the index of the last number that is at most `limit`, or -1. The numbers are sorted. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  for (let high = numbers.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? limit) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
