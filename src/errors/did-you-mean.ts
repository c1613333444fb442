/**
 * Suggests the name that is most similar to a misspelled text, as a sentence: ` Did you mean "claude"?`. Returns an
 * empty string if no name is similar.
 */
export function didYouMean(text: string, names: Iterable<string>): string {
  const near = [...new Set(names)]
    .map((name) => ({ name, distance: distanceOf(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => name !== text && distance <= mistakesIn(name))
    .sort((a, b) => a.distance - b.distance);
  const [best] = near;
  return best ? ` Did you mean "${best.name}"?` : "";
}

/** Returns the number of typing errors that are allowed: one per three characters, at least one and at most three. */
function mistakesIn({ length }: string): number {
  return Math.min(3, Math.max(1, Math.floor(length / 3)));
}

/**
 * Returns the edit distance: insertions, deletions, replacements and swaps of adjacent characters. Returns Infinity if
 * the lengths differ by more than three, because such a name is never suggested.
 */
function distanceOf(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 3) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const at = (list: readonly number[], index: number) => list[index] ?? 0;
      let cost = Math.min(
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
      );
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && isSwapped) cost = Math.min(cost, at(before, column - 2) + 1);
      next.push(cost);
    }
    before = last;
    last = next;
  }
  return last.at(-1) ?? 0;
}
