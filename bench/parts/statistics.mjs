/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * The value that this share of the others does not exceed.
 * @param {readonly number[]} values
 * @param {number} share
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Runs them in turn, round after round, so that whatever else the machine does slows all of them down.
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
 * How long it takes, in milliseconds.
 * @param {() => unknown} work
 */
export async function timeMs(work) {
  const begunMs = performance.now();
  await work();
  return performance.now() - begunMs;
}
