/**
 * Returns the milliseconds since the time that the agent wrote. All processes of a machine share the monotonic clock.
 * @param {string} tick
 */
export function ageMs(tick) {
  return Number(process.hrtime.bigint() - BigInt(tick.trim())) / 1e6;
}
