import { inBenchRoom } from "./parts/bench-room.mjs";
import { disposeAfter } from "./parts/resources.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

/** Measures events per second from a flooding agent through mapper, SQLite and iterator, compared with `JSON.parse` over its pipe. */
export function measure() {
  return inBenchRoom(async (room) => {
    const perLine = await compare(room, { count: 300_000, style: " slow" });
    const batched = await compare(room, { count: 1_000_000, style: "" });
    return [
      {
        figure: "throughput, one write per line",
        ...toCells(perLine),
        target: ">= 0.5 of raw, none lost",
        isMet: perLine.share >= 0.5,
      },
      { figure: "throughput, batched writes", ...toCells(batched) },
    ];
  });
}

/** @typedef {import("./parts/bench-room.mjs").BenchRoom} BenchRoom */

/**
 * @param {BenchRoom} room
 * @param {{ count: number, style: string }} flood
 */
async function compare(room, { count, style }) {
  const prompt = `flood ${count}${style}`;
  const rounds = await alternate(9, {
    raw: () => rate(room.raw, prompt, count),
    ours: () => rate(room.ours, prompt, count),
  });
  const raw = median(rounds.map((round) => round.raw));
  const ours = median(rounds.map((round) => round.ours));
  return { raw, ours, share: ours / raw, rounds };
}

/**
 * Returns the events per second. Throws at the first number that is missing, duplicated or out of order.
 * @param {BenchRoom["raw"] | BenchRoom["ours"]} start
 * @param {string} prompt
 * @param {number} count
 */
async function rate(start, prompt, count) {
  let next = 0;
  const onText = (/** @type {string} */ text) => {
    if (text !== `${next} `) throw new Error(`Expected ${next}, received ${text}.`);
    next++;
  };
  const ms = await disposeAfter(await start(), (agent) => timeMs(() => agent.run(prompt, onText)));
  if (next !== count) throw new Error(`${count - next} of ${count} events are lost.`);
  return count / (ms / 1000);
}

/** @param {Awaited<ReturnType<typeof compare>>} measured */
function toCells(measured) {
  const { raw, ours, share } = measured;
  return {
    ours: `${thousands(ours)}/s, ${share.toFixed(2)} of raw`,
    beside: `${thousands(raw)}/s, JSON.parse over the pipe`,
    data: measured,
  };
}

/** @param {number} perSecond */
function thousands(perSecond) {
  return `${Math.round(perSecond / 1000)} k`;
}
