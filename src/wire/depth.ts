/** Deeper than people and models nest, and far from where walking through a value by recursion ends in a fall. */
const MOST = 1000;

/** Whether a value is nested too deeply for whoever walks through it. Its text is at least as long as that takes. */
export function isTooDeep(value: unknown, text: string): boolean {
  if (text.length < 2 * MOST) return false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST) return true;
    level = level.flatMap((each) => Object.values(Object(each)).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
