import { ageMs } from "./parts/age.mjs";
import { disposeAfter } from "./parts/resources.mjs";
import { inSseRoom } from "./parts/sse-room.mjs";
import { alternate, median, quantile } from "./parts/statistics.mjs";

/** About 200 events per second, the rate of a model. */
const PROMPT = "tick 400 5";

/** Measures the time from the agent's write to a reader of server-sent events, including the disk and the server. */
export function measure() {
  return inSseRoom(async (room) => {
    const rounds = await alternate(6, { raw: () => rawAges(room), ours: () => sseAges(room) });
    const raw = summarise(rounds.map((round) => round.raw));
    const ours = summarise(rounds.map((round) => round.ours));
    const added = { p50: ours.p50 - raw.p50, p99: ours.p99 - raw.p99 };
    const tail = ours.endMs - raw.endMs;
    return [
      {
        figure: "latency from write to SSE reader, p50 / p99",
        ours: `${toText(ours)}, ${toText(added)} added`,
        beside: `${toText(raw)}, pipe`,
        target: "< 0.5 / 5 ms added, durable",
        isMet: added.p50 < 0.5 && added.p99 < 5,
        data: { raw, ours, added },
      },
      {
        figure: "end of a turn: last write to the completion by SSE",
        ours: `${ours.endMs.toFixed(1)} ms, ${tail.toFixed(1)} added`,
        beside: `${raw.endMs.toFixed(1)} ms, pipe`,
        target: "< 20 ms added",
        isMet: tail < 20,
        data: { raw: raw.endMs, ours: ours.endMs },
      },
    ];
  });
}

/** @typedef {import("./parts/sse-room.mjs").SseRoom} SseRoom */
/** @typedef {{ all: number[], endMs: number }} Ages */

/** @param {SseRoom} room */
async function rawAges(room) {
  /** @type {number[]} */
  const all = [];
  let lastWord = "";
  const endMs = await disposeAfter(await room.raw(), async (agent) => {
    await agent.run(PROMPT, (tick) => {
      lastWord = tick;
      all.push(ageMs(tick));
    });
    return ageMs(lastWord);
  });
  return { all, endMs };
}

/** @param {SseRoom} room */
async function sseAges(room) {
  /** @type {number[]} */
  const all = [];
  const session = await room.start();
  let lastWord = "";
  let endMs = Number.NaN;
  /** @type {(value?: unknown) => void} */
  let done = () => {};
  const completed = new Promise((resolve) => {
    done = resolve;
  });
  const reader = await room.read(session.id, (events) => {
    for (const event of events) {
      if (event.type === "delta") {
        lastWord = event.text;
        all.push(ageMs(event.text));
      } else if (event.type === "completion") {
        endMs = ageMs(lastWord);
        done();
      }
    }
  });
  await disposeAfter(reader, async () => {
    session.send(PROMPT);
    await completed;
  });
  await session.stop();
  return { all, endMs };
}

/** @param {Ages[]} rounds */
function summarise(rounds) {
  const all = rounds.flatMap((round) => round.all);
  const endMs = median(rounds.map((round) => round.endMs));
  return { count: all.length, p50: quantile(all, 0.5), p99: quantile(all, 0.99), endMs };
}

/** @param {{ p50: number, p99: number }} ages */
function toText({ p50, p99 }) {
  return `${p50.toFixed(2)} / ${p99.toFixed(2)} ms`;
}
