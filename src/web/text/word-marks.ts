/** The start and end of a part of a line. */
export type MarkRange = readonly [start: number, end: number];

/**
 * Returns the words that differ between a line and the line that replaces it, as ranges in each line. Returns undefined
 * if the lines have little in common, because almost everything would be marked, or if a line has more than 400 words.
 */
export function markWords(
  before: string,
  after: string,
): readonly [readonly MarkRange[], readonly MarkRange[]] | undefined {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return undefined;
  const same = commonWords(a, b);
  const kept = same.reduce((sum, [index]) => sum + (a[index]?.trim().length ?? 0), 0);
  const longer = Math.max(before.trim().length, after.trim().length);
  if (kept * 3 < longer) return undefined;
  const isKept = (side: 0 | 1) => new Set(same.map((pair) => pair[side]));
  return [rangesOf(a, isKept(0)), rangesOf(b, isKept(1))];
}

/** The maximum number of words. Longer lines are data, and their comparison table would be too large. */
const MOST_WORDS = 400;

/** Splits a line into identifiers, spaces and single other characters. */
function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_$]+|\s+|[^\p{L}\p{N}_$\s]/gu) ?? [];
}

/** Returns the longest common sequence of words, as pairs of indexes. */
function commonWords(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return pairs;
}

/** Returns the ranges of the words that are not kept. Joins ranges that are separated only by a space. */
function rangesOf(words: readonly string[], kept: ReadonlySet<number>): MarkRange[] {
  const ranges: [number, number][] = [];
  let at = 0;
  let gap = "";
  for (const [index, word] of words.entries()) {
    const last = ranges.at(-1);
    if (kept.has(index)) gap += word;
    else {
      if (last && gap.trim() === "") last[1] = at + word.length;
      else ranges.push([at, at + word.length]);
      gap = "";
    }
    at += word.length;
  }
  return ranges;
}
