import { inSseRoom } from "./parts/sse-room.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const ROUNDS = 25;

/** Measures the start of a session through a warm server until it accepts messages, compared with a plain spawn of the agent. */
export function measure() {
  return inSseRoom(async (room) => {
    await started(() => room.start()); // the first start warms up the server
    const rounds = await alternate(ROUNDS, {
      raw: () => started(() => room.raw()),
      ours: () => started(() => room.start()),
    });
    const raw = median(rounds.map((round) => round.raw));
    const ours = median(rounds.map((round) => round.ours));
    const added = ours - raw;
    return [
      {
        figure: "session start over HTTP, until it accepts messages",
        ours: `${ours.toFixed(1)} ms, ${added.toFixed(1)} added`,
        beside: `${raw.toFixed(1)} ms, plain spawn`,
        target: "<= 25 ms added",
        isMet: added <= 25,
        data: { rounds },
      },
    ];
  });
}

/** @param {() => Promise<AsyncDisposable>} start */
async function started(start) {
  /** @type {AsyncDisposable | undefined} */
  let agent;
  const ms = await timeMs(async () => {
    agent = await start();
  });
  await agent?.[Symbol.asyncDispose]();
  return ms;
}
