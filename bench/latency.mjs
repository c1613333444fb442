import { ageMs } from "./parts/age.mjs";
import { inBenchRoom } from "./parts/bench-room.mjs";
import { disposeAfter } from "./parts/resources.mjs";
import { alternate, quantile } from "./parts/statistics.mjs";

/** About 200 events per second, the rate of a model. */
const PROMPT = "tick 400 5";

/** Measures the time from the agent's write to the consumer, including the disk, compared with a pipe. */
export function measure() {
  return inBenchRoom(async (room) => {
    const rounds = await alternate(6, { raw: () => ages(room.raw), ours: () => ages(room.ours) });
    const raw = summarise(rounds.flatMap((round) => round.raw));
    const ours = summarise(rounds.flatMap((round) => round.ours));
    return [
      {
        figure: "latency from write to consumer, p50 / p99",
        ours: toText(ours),
        beside: `${toText(raw)}, pipe`,
        target: "< 0.5 / 5 ms, durable",
        isMet: ours.p50 < 0.5 && ours.p99 < 5,
        data: { raw, ours },
      },
    ];
  });
}

/** @typedef {import("./parts/bench-room.mjs").BenchRoom} BenchRoom */

/** @param {BenchRoom["raw"] | BenchRoom["ours"]} start */
async function ages(start) {
  /** @type {number[]} */
  const all = [];
  await disposeAfter(await start(), (agent) => agent.run(PROMPT, (tick) => all.push(ageMs(tick))));
  return all;
}

/** @param {number[]} all */
function summarise(all) {
  const count = all.length;
  return { count, p50: quantile(all, 0.5), p99: quantile(all, 0.99), max: Math.max(...all) };
}

/** @param {{ p50: number, p99: number }} ages */
function toText({ p50, p99 }) {
  return `${p50.toFixed(2)} / ${p99.toFixed(2)} ms`;
}
