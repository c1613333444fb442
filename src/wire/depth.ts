/**
 * The maximum nesting depth. Real messages are nested less deeply, and recursion overflows the stack at a far greater
 * depth.
 */
const MOST = 1000;

/**
 * True if a value is nested too deeply for recursive functions. `text` is the JSON of the value: a short text cannot be
 * deeply nested.
 */
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
