/**
 * How long ago the agent said what time it is, in milliseconds: all processes of a machine share that clock.
 * @param {string} tick
 */
export function ageMs(tick) {
  return Number(process.hrtime.bigint() - BigInt(tick.trim())) / 1e6;
}
