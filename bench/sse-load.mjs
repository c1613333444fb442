import { ageMs } from "./parts/age.mjs";
import { inSseRoom } from "./parts/sse-room.mjs";
import { quantile } from "./parts/statistics.mjs";

const SESSIONS = 200;
const EVENTS = 500;
const PAUSE_MS = 20;
/** So many are started at once. */
const STEP = 10;

/** 200 sessions that each say 50 things a second to a reader of their own, beside as many agents on plain pipes. */
export function measure() {
  return inSseRoom(async (room) => {
    const before = await room.weigh();
    const ours = await inSteps(() => start(room));
    const idle = await room.weigh();
    const ages = (await Promise.all(ours.map(({ run }) => run()))).flat();
    const busy = await room.weigh();
    for (const { end } of ours) await end();
    const agents = await inSteps(() => room.raw());
    const rawAges = (await Promise.all(agents.map(tick))).flat();
    for (const agent of agents) await agent[Symbol.asyncDispose]();
    const added = quantile(ages, 0.99) - quantile(rawAges, 0.99);
    const lost = SESSIONS * EVENTS - ages.length;
    if (lost > 0) throw new Error(`${lost} events are lost`);
    const perSession = (idle - before) / SESSIONS;
    return [
      {
        figure: "200 sessions × 50 events/s over SSE, p50 / p99",
        ours: `${toText(ages)}, ${added.toFixed(1)} ms added at p99`,
        beside: `${toText(rawAges)}, pipes`,
        target: "< 50 ms added at p99",
        isMet: added < 50,
        data: { added },
      },
      {
        figure: "server with 200 busy sessions, rss",
        ours: `${busy.toFixed(0)} MB, ${perSession.toFixed(2)} per idle session`,
        beside: `${before.toFixed(0)} MB, without any`,
        target: "< 300 MB, < 1 per session, < 90 idle",
        isMet: busy < 300 && perSession < 1 && before < 90,
        data: { before, idle, busy },
      },
    ];
  });
}

/** @typedef {import("./parts/sse-room.mjs").SseRoom} SseRoom */

/**
 * @template T
 * @param {() => Promise<T>} make
 */
async function inSteps(make) {
  const made = [];
  while (made.length < SESSIONS) made.push(...(await Promise.all([...Array(STEP)].map(make))));
  return made;
}

/** @param {SseRoom} room */
async function start(room) {
  const body = { runtime: "fake", cwd: room.cwd, permissions: "allow-all" };
  const { id } = await room.post("/v1/sessions", body);
  /** @type {number[]} */
  const ages = [];
  /** @type {(value?: unknown) => void} */
  let done = () => {};
  const completed = new Promise((resolve) => {
    done = resolve;
  });
  const reader = await room.read(String(id), (events) => {
    for (const event of events) {
      if (event.type === "delta") ages.push(ageMs(event.text));
      else if (event.type === "completion") done();
    }
  });
  return {
    async run() {
      await room.post(`/v1/sessions/${id}/turns`, { input: `tick ${EVENTS} ${PAUSE_MS}` });
      await completed;
      return ages;
    },
    async end() {
      await reader[Symbol.asyncDispose]();
      await room.post(`/v1/sessions/${id}/stop`, {});
    },
  };
}

/** @param {import("./parts/raw-agent.mjs").RawAgent} agent */
async function tick(agent) {
  /** @type {number[]} */
  const ages = [];
  await agent.run(`tick ${EVENTS} ${PAUSE_MS}`, (text) => ages.push(ageMs(text)));
  return ages;
}

/** @param {number[]} ages */
function toText(ages) {
  return `${quantile(ages, 0.5).toFixed(2)} / ${quantile(ages, 0.99).toFixed(1)} ms`;
}
