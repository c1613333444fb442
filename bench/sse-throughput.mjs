import { disposeAfter } from "./parts/resources.mjs";
import { inSseRoom } from "./parts/sse-room.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const COUNT = 300_000;

/** Measures events per second from a flooding agent to one and to ten readers of server-sent events. Checks each number. */
export function measure() {
  return inSseRoom(async (room) => {
    const rounds = await alternate(5, {
      raw: () => rawRate(room, COUNT),
      one: () => sseRate(room, COUNT, 1),
      ten: () => sseRate(room, COUNT / 5, 10),
    });
    const raw = median(rounds.map((round) => round.raw));
    const one = median(rounds.map((round) => round.one));
    const ten = median(rounds.map((round) => round.ten));
    const beside = `${thousands(raw)}/s, JSON.parse over the pipe`;
    return [
      {
        figure: "throughput to one SSE reader",
        ours: `${thousands(one)}/s, ${(one / raw).toFixed(2)} of raw`,
        beside,
        target: "> 50 k/s, none lost",
        isMet: one > 50_000,
        data: { raw, one, rounds },
      },
      {
        figure: "throughput to ten SSE readers together",
        ours: `${thousands(ten)}/s, ${(ten / raw).toFixed(2)} of raw`,
        beside,
        target: "> 100 k/s, none lost",
        isMet: ten > 100_000,
        data: { raw, ten },
      },
    ];
  });
}

/** @typedef {import("./parts/sse-room.mjs").SseRoom} SseRoom */

/**
 * @param {SseRoom} room
 * @param {number} count
 */
async function rawRate(room, count) {
  const check = countUp(count);
  const ms = await disposeAfter(await room.raw(), (agent) =>
    timeMs(() => agent.run(`flood ${count} slow`, check.take)),
  );
  check.requireAll();
  return count / (ms / 1000);
}

/**
 * @param {SseRoom} room
 * @param {number} count
 * @param {number} readers
 */
async function sseRate(room, count, readers) {
  const session = await room.start();
  const reading = await Promise.all(
    [...Array(readers)].map(() => readAll(room, session.id, count)),
  );
  const ms = await timeMs(async () => {
    session.send(`flood ${count} slow`);
    await Promise.all(reading.map(({ completed }) => completed));
  });
  for (const { reader, check } of reading) {
    check.requireAll();
    await reader[Symbol.asyncDispose]();
  }
  await session.stop();
  return (count * readers) / (ms / 1000);
}

/**
 * @param {SseRoom} room
 * @param {string} id
 * @param {number} count
 */
async function readAll(room, id, count) {
  const check = countUp(count);
  /** @type {(value?: unknown) => void} */
  let done = () => {};
  const completed = new Promise((resolve) => {
    done = resolve;
  });
  const reader = await room.read(id, (events) => {
    for (const event of events) {
      if (event.type === "delta") check.take(event.text);
      else if (event.type === "completion") done();
    }
  });
  return { check, completed, reader };
}

/**
 * Returns a check that throws at the first number that is missing, duplicated or out of order.
 * @param {number} count
 */
function countUp(count) {
  let next = 0;
  return {
    take(/** @type {string} */ text) {
      if (text !== `${next} `) throw new Error(`Expected ${next}, received ${text}.`);
      next++;
    },
    requireAll() {
      if (next !== count) throw new Error(`${count - next} of ${count} events are lost.`);
    },
  };
}

/** @param {number} perSecond */
function thousands(perSecond) {
  return `${Math.round(perSecond / 1000)} k`;
}
