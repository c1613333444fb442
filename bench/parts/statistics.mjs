/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * Returns a quantile: the value below which the given share of values lies.
 * @param {readonly number[]} values
 * @param {number} share
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Runs the functions in turn in each round, so that other load on the machine affects all of them.
 * @template {string} Name
 * @template T
 * @param {number} rounds
 * @param {Record<Name, () => Promise<T>>} subjects
 */
export async function alternate(rounds, subjects) {
  const results = [];
  for (let round = 0; round < rounds; round++) {
    const result = /** @type {Record<Name, T>} */ ({});
    for (const name in subjects) result[name] = await subjects[name]();
    results.push(result);
  }
  return results;
}

/**
 * Returns the duration of a call, in milliseconds.
 * @param {() => unknown} work
 */
export async function timeMs(work) {
  const begunMs = performance.now();
  await work();
  return performance.now() - begunMs;
}
