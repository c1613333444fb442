/** A seeded random number generator: the same seed produces the same choices. */
export interface Chance {
  /** Returns a number of at least 0 and below 1. */
  next(): number;
  between(least: number, most: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  is(probability: number): boolean;
  /** Returns an independent generator for one of several concurrent workers, so that their order does not matter. */
  fork(part: number): Chance;
}

/** Creates a random number generator that uses the Mulberry32 algorithm. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => Math.floor(least + next() * (most - least + 1)),
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
    is: (probability) => next() < probability,
    fork: (part) => createChance(seed ^ Math.imul(part + 1, 0x9e3779b1)),
  };
}
