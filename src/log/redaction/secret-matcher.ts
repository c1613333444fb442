import { mayBeginGap, mayEndGap, type Range } from "./text-gaps.ts";

/** Finds secrets in texts without gaps. */
export interface SecretMatcher {
  /** Returns the ranges of all secrets. Ranges may overlap. */
  find(text: string): readonly Range[];
  /** True if a secret may cross the gap from `before` to `after`. Omitted if the matcher cannot determine it. */
  readonly mayCross?: (text: string, before: number, after: number) => boolean;
  /**
   * Returns the first index from which the rest of the text may be the start of a secret, or the length of the text.
   */
  partialStart(text: string): number;
  /** The length of the longest secret. */
  readonly longest: number;
}

/**
 * Creates a matcher that searches for many patterns in one pass with the Wu-Manber algorithm. The longer the shortest
 * pattern is, the fewer characters are read. All patterns must have at least `BLOCK` characters.
 */
export function createSecretMatcher(patterns: readonly string[]): SecretMatcher {
  const shortest = Math.min(...patterns.map(({ length }) => length));
  const longest = Math.max(...patterns.map(({ length }) => length));
  const farthest = Math.min(shortest - BLOCK + 1, 255);
  const mask = powerOfTwo(patterns.length * farthest * 8) - 1;
  const shifts = new Uint8Array(mask + 1).fill(farthest);
  const ending = new Map<number, string[]>();
  /** Patterns by the code of their first character. All non-ASCII characters share the last index. */
  const firsts: (string[] | undefined)[] = new Array(OTHERS + 1).fill(undefined);
  for (const pattern of patterns) {
    for (let end = shortest - farthest + 1; end <= shortest; end++) {
      const hash = hashAt(pattern, end, mask);
      shifts[hash] = Math.min(shifts[hash] ?? farthest, shortest - end);
    }
    const hash = hashAt(pattern, shortest, mask);
    ending.set(hash, [...(ending.get(hash) ?? []), pattern]);
    const first = Math.min(pattern.charCodeAt(0), OTHERS);
    firsts[first] = [...(firsts[first] ?? []), pattern];
  }
  return {
    longest,
    mayCross: createCrossings(patterns),
    find(text) {
      let found: Range[] | undefined;
      for (let end = shortest; end <= text.length; ) {
        const hash = hashAt(text, end, mask);
        const shift = shifts[hash] ?? 1;
        if (shift === 0) {
          const start = end - shortest;
          for (const pattern of ending.get(hash) ?? []) {
            if (!text.startsWith(pattern, start)) continue;
            found ??= [];
            found.push({ start, end: start + pattern.length });
          }
        }
        end += shift || 1;
      }
      return found ?? NONE;
    },
    partialStart(text) {
      for (let start = Math.max(0, text.length - longest + 1); start < text.length; start++) {
        const candidates = firsts[Math.min(text.charCodeAt(start), OTHERS)];
        if (candidates === undefined) continue;
        for (const pattern of candidates) if (isBeginning(text, start, pattern)) return start;
      }
      return text.length;
    },
  };
}

/** The number of characters that determine the skip distance. */
const BLOCK = 3;

const OTHERS = 128;

const NONE: readonly Range[] = [];

/** Returns a hash of the block that ends before `end`. */
function hashAt(text: string, end: number, mask: number): number {
  const near = (text.charCodeAt(end - 2) << 5) ^ text.charCodeAt(end - 1);
  return ((text.charCodeAt(end - 3) << 10) ^ near) & mask;
}

/**
 * Returns a function that detects, by the adjacent characters, whether a secret may cross a gap. The first test checks
 * three adjacent characters and rules out most gaps. The second test checks four characters, or fewer if the secret
 * starts or ends next to the gap or if lines have a single character. Both tests allow a few false positives.
 */
function createCrossings(patterns: readonly string[]): NonNullable<SecretMatcher["mayCross"]> {
  const size = patterns.reduce((sum, { length }) => sum + length, 0) * 64;
  const any = createNeighbors(powerOfTwo(size));
  for (const pattern of patterns)
    for (let at = 2; at < pattern.length; at++)
      any.add(0, pattern.charCodeAt(at - 2), pattern.charCodeAt(at - 1), pattern.charCodeAt(at));
  let exact: Neighbors | undefined; // created on demand: most texts do not need it
  return (text, before, after) => {
    const left = text.charCodeAt(before - 1);
    const right = text.charCodeAt(after);
    const farRight = text.charCodeAt(after + 1);
    const farLeft = text.charCodeAt(before - 2);
    const isShort = mayEndGap(farLeft) && mayBeginGap(farRight);
    if (!isShort && !any.has(0, left, right, farRight) && !any.has(0, farLeft, left, right))
      return false;
    exact ??= exactNeighbors(patterns);
    return (
      (isShort && exact.has(SHORT_LINES, 0, left, right)) ||
      exact.has(farLeft, left, right, farRight) ||
      exact.has(START, left, right, farRight) ||
      exact.has(END, farLeft, left, right) ||
      (mayEndGap(farLeft) && exact.has(SHORT_LINE, left, right, farRight)) ||
      (mayBeginGap(farRight) && exact.has(SHORT_LINE, farLeft, left, right))
    );
  };
}

/** Placeholders for a neighbor that is not part of the secret. No text contains these codes. */
const START = 0x10000;
const END = 0x10001;
const SHORT_LINE = 0x10002;
const SHORT_LINES = 0x10003;

function exactNeighbors(patterns: readonly string[]): Neighbors {
  const exact = createNeighbors(2 ** 20);
  for (const pattern of patterns) {
    const code = (at: number): number => pattern.charCodeAt(at);
    const last = pattern.length - 1;
    for (let at = 1; at <= last; at++) {
      exact.add(SHORT_LINES, 0, code(at - 1), code(at));
      if (at === 1) continue;
      exact.add(SHORT_LINE, code(at - 2), code(at - 1), code(at));
      if (at > 2) exact.add(code(at - 3), code(at - 2), code(at - 1), code(at));
    }
    exact.add(START, code(0), code(1), code(2));
    exact.add(END, code(last - 2), code(last - 1), code(last));
  }
  return exact;
}

/** A set of groups of four adjacent characters, with a few false positives. */
interface Neighbors {
  add(a: number, b: number, c: number, d: number): void;
  has(a: number, b: number, c: number, d: number): boolean;
}

function createNeighbors(size: number): Neighbors {
  const mask = size - 1;
  const bits = new Uint8Array(size >> 3);
  const hashOf = (a: number, b: number, c: number, d: number): number => {
    const mixed = Math.imul(Math.imul(a, 0x85ebca6b) ^ (b << 14) ^ (c << 7) ^ d, 0x9e3779b1);
    return (mixed ^ (mixed >>> 15)) & mask;
  };
  return {
    add(a, b, c, d) {
      const hash = hashOf(a, b, c, d);
      bits[hash >> 3] = (bits[hash >> 3] ?? 0) | (1 << (hash & 7));
    },
    has(a, b, c, d) {
      const hash = hashOf(a, b, c, d);
      return ((bits[hash >> 3] ?? 0) & (1 << (hash & 7))) !== 0;
    },
  };
}

/** Returns a table size that leaves most entries empty: a power of two from 1,024 to 262,144. */
function powerOfTwo(atLeast: number): number {
  return Math.min(2 ** 18, Math.max(1024, 2 ** Math.ceil(Math.log2(atLeast))));
}

/** True if the rest of the text is a proper prefix of the pattern. */
function isBeginning(text: string, start: number, pattern: string): boolean {
  const length = text.length - start;
  if (length >= pattern.length) return false;
  for (let index = 1; index < length; index++)
    if (text.charCodeAt(start + index) !== pattern.charCodeAt(index)) return false;
  return true;
}
