import { inSseRoom } from "./parts/sse-room.mjs";

const READERS = 1000;
const EVENTS = 5_000;

/** Measures the memory of the server with a thousand readers, half of which never read, while a session is flooded. */
export function measure() {
  return inSseRoom(async (room) => {
    const session = await room.start();
    await session.send("flood 100000").outcome; // grows the heap to its final size before the measurement
    const before = await room.weigh();
    const { id } = await room.start();
    const readers = [];
    for (let count = 0; count < READERS; count++) {
      readers.push(await (count % 2 === 0 ? room.neglect(id) : room.drain(id)));
    }
    const opened = await room.weigh();
    await room.post(`/v1/sessions/${id}/turns`, { input: `flood ${EVENTS}` });
    const first = await afterTurns(room, id, 1);
    await room.post(`/v1/sessions/${id}/turns`, { input: `flood ${EVENTS}` });
    const second = await afterTurns(room, id, 2);
    for (const reader of readers) await reader[Symbol.asyncDispose]();
    const growth = second - first;
    return [
      {
        figure: "1,000 readers of which half never read, rss",
        ours: `${opened.toFixed(0)} MB open, ${first.toFixed(0)} and ${second.toFixed(0)} after ${EVENTS} events each`,
        beside: `${before.toFixed(0)} MB, without them`,
        target: "flat: < 20 MB from one flood to the next",
        isMet: growth < 20,
        data: { before, opened, first, second },
      },
    ];
  });
}

/** @typedef {import("./parts/sse-room.mjs").SseRoom} SseRoom */

/**
 * @param {SseRoom} room
 * @param {string} id
 * @param {number} turns
 */
async function afterTurns(room, id, turns) {
  let left = turns;
  await new Promise((resolve) => {
    void room.read(id, (events) => {
      left -= events.filter(({ type }) => type === "completion").length;
      if (left === 0) resolve(undefined);
    });
  });
  return room.weigh();
}
