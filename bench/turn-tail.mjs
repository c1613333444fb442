import { ageMs } from "./parts/age.mjs";
import { inBenchRoom } from "./parts/bench-room.mjs";
import { disposeAfter } from "./parts/resources.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

/** Measures the time that Halyard adds to the start of a session, and from the agent's last write to the outcome. */
export function measure() {
  return inBenchRoom(async (room) => {
    const rounds = await alternate(15, { raw: () => ends(room.raw), ours: () => ends(room.ours) });
    const raw = summarise(rounds.map((round) => round.raw));
    const ours = summarise(rounds.map((round) => round.ours));
    return [
      toRow("end of a turn: last write to outcome", raw.tailMs, ours.tailMs),
      toRow("session start, until it accepts messages", raw.startMs, ours.startMs),
    ];
  });
}

/** @typedef {import("./parts/bench-room.mjs").BenchRoom} BenchRoom */

/** @param {BenchRoom["raw"] | BenchRoom["ours"]} start */
async function ends(start) {
  const starting = start();
  const startMs = await timeMs(() => starting);
  const tailMs = await disposeAfter(await starting, async (agent) => {
    let lastWord = "";
    // The agent writes the last delta immediately before the end of the turn.
    await agent.run("tick 2 5", (tick) => {
      lastWord = tick;
    });
    return ageMs(lastWord);
  });
  return { startMs, tailMs };
}

/** @param {{ startMs: number, tailMs: number }[]} all */
function summarise(all) {
  return {
    startMs: median(all.map(({ startMs }) => startMs)),
    tailMs: median(all.map(({ tailMs }) => tailMs)),
  };
}

/**
 * @param {string} figure
 * @param {number} raw
 * @param {number} ours
 */
function toRow(figure, raw, ours) {
  const added = ours - raw;
  return {
    figure,
    ours: `${ours.toFixed(1)} ms, ${added.toFixed(1)} added`,
    beside: `${raw.toFixed(1)} ms, pipe`,
    target: "< 20 ms added",
    isMet: added < 20,
    data: { raw, ours, added },
  };
}
