import { ageMs } from "./parts/age.mjs";
import { withPipes } from "./parts/plain-pipes.mjs";
import { quiet } from "./parts/quiet.mjs";
import { disposeAfter } from "./parts/resources.mjs";
import { inSseRoom } from "./parts/sse-room.mjs";
import { quantile } from "./parts/statistics.mjs";
import { Ticker } from "./parts/ticker.mjs";

const SESSIONS = 200;
/** The number of events per session that are not measured: the first second, because a server is warm in practice. */
const WARM_UP = 50;
const EVENTS = WARM_UP + 500;
const PAUSE_MS = 20;
/** The number of sessions that start at the same time. */
const STEP = 10;

/** Measures 200 sessions that each send 50 events per second to their own reader, compared with 200 plain pipes. */
export function measure() {
  return inSseRoom(async (room) => {
    const before = await room.weigh();
    const ours = await inSteps(() => start(room));
    const idle = await room.weigh();
    for (const { hang } of ours) await hang();
    await quiet();
    const outputs = (await room.pids()).map((pid) => `/proc/${pid}/fd/1`);
    const ages = await ticking(
      outputs,
      ours.map(({ received }) => received),
    );
    const busy = await room.weigh();
    for (const { end } of ours) await end();
    const rawAges = await withPipes(SESSIONS, listen);
    const added = quantile(ages, 0.99) - quantile(rawAges, 0.99);
    const perSession = (idle - before) / SESSIONS;
    return [
      {
        figure: "200 sessions × 50 events/s over SSE, p50 / p99",
        ours: `${toText(ages)}, ${added.toFixed(1)} ms added at p99`,
        beside: `${toText(rawAges)}, pipes`,
        target: "<= 25 ms added at p99",
        isMet: added <= 25,
        data: { added },
      },
      {
        figure: "server with 200 busy sessions, rss",
        ours: `${busy.toFixed(0)} MB, ${perSession.toFixed(2)} per idle session`,
        beside: `${before.toFixed(0)} MB, without any`,
        target: "<= 200 MB, < 1 per session, < 90 idle",
        isMet: busy <= 200 && perSession < 1 && before < 90,
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

/**
 * Collects the latencies while the agents tick.
 * @param {readonly string[]} outputs
 * @param {readonly (() => Promise<number[]>)[]} readers
 */
function ticking(outputs, readers) {
  return disposeAfter(new Ticker(), async (ticker) => {
    const received = Promise.all(readers.map((read) => read()));
    ticker.start(outputs, EVENTS, PAUSE_MS);
    const all = await received;
    const lost = all.reduce((sum, ages) => sum + EVENTS - ages.length, 0);
    if (lost > 0) throw new Error(`${lost} events are lost.`);
    return all.flatMap((ages) => ages.slice(WARM_UP));
  });
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
    hang: () => room.post(`/v1/sessions/${id}/turns`, { input: "hang" }),
    received: () => completed.then(() => ages),
    async end() {
      await reader[Symbol.asyncDispose]();
      await room.post(`/v1/sessions/${id}/stop`, {});
    },
  };
}

/** @param {{ path: string, read: (onText: (text: string) => void) => Promise<void> }[]} pipes */
function listen(pipes) {
  const readers = pipes.map(({ read }) => async () => {
    /** @type {number[]} */
    const ages = [];
    await read((text) => ages.push(ageMs(text)));
    return ages;
  });
  return ticking(
    pipes.map(({ path }) => path),
    readers,
  );
}

/** @param {number[]} ages */
function toText(ages) {
  return `${quantile(ages, 0.5).toFixed(2)} / ${quantile(ages, 0.99).toFixed(1)} ms`;
}
