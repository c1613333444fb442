import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { liveStates } from "../../src/schema/session/session-state.ts";
import type { StartRequest } from "../../src/schema/session/start-request.ts";
import { processesIn } from "../cli/processes.ts";
import type { User } from "../cli/start-cli.ts";
import { faultsOf, readLog } from "../daemon/scene.ts";
import { type Chance, createChance } from "./chance.ts";
import { Daemons } from "./daemons.ts";
import { Worker } from "./worker.ts";

/** The request and the prompts of one session. */
export interface Part {
  readonly request: StartRequest;
  readonly prompt: (chance: Chance) => string;
}

interface TormentOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Called with the last daemon, after all sessions have stopped. */
  readonly whenStopped?: (halyard: Halyard) => Promise<void>;
}

/** Runs sessions while daemons, agents and readers are killed, then checks that nothing is lost, duplicated or left behind. */
export async function torment(
  user: User,
  parts: readonly Part[],
  { seed, seconds, whenStopped }: TormentOptions,
): Promise<void> {
  const chance = createChance(seed);
  const daemons = new Daemons(user, chance.fork(-1));
  await daemons.start();
  const signal = AbortSignal.timeout(seconds * 1000);
  const workers: Worker[] = [];
  const keepWorking = async (part: Part, index: number): Promise<void> => {
    const own = chance.fork(index);
    while (!signal.aborted) {
      const worker = new Worker({ daemons, user, chance: own, signal, ...part });
      workers.push(worker);
      await worker.work();
    }
  };
  await Promise.all([daemons.torment(signal), ...parts.map(keepWorking)]);
  const seen = await daemons.through((halyard) => inspectWorkers(halyard, workers));
  const killed = workers.reduce((sum, { kills }) => sum + kills, 0);
  console.log(
    `${workers.length} sessions, ${seen.events} events in ${seen.turns} turns; ` +
      `killed ${daemons.kills} daemons and ${killed} agents`,
  );
  await daemons.through(async (halyard) => {
    for (const { id } of await halyard.sessions({ states: liveStates })) await halyard.stop(id);
    await whenStopped?.(halyard);
  });
  await daemons.end("SIGTERM");
  const directories = [user.home, ...new Set(parts.map(({ request }) => request.cwd ?? user.cwd))];
  const left = (await Promise.all(directories.map((directory) => processesIn(directory)))).flat();
  expect(left, "processes left").toEqual([]);
  expect(seen.faults).toEqual([]);
}

/** Returns the faults in the logs after every turn has ended. */
async function inspectWorkers(halyard: Halyard, workers: readonly Worker[]) {
  await untilQuiet(halyard);
  const faults: string[] = [];
  let events = 0;
  let turns = 0;
  for (const worker of workers) {
    const log = await readLog(halyard, worker.id);
    await worker.readOn(halyard, { follow: false });
    const ended = new Set(
      log.flatMap((event) => (event.type === "completion" ? [event.turnId] : [])),
    );
    events += log.length;
    turns += ended.size;
    const lost = worker.taken
      .filter((id) => !ended.has(id))
      .map((id) => `${id} was accepted and has no end`);
    const read =
      JSON.stringify(worker.read) === JSON.stringify(log)
        ? []
        : ["its reader received other events"];
    faults.push(...[...faultsOf(log), ...lost, ...read].map((fault) => `${worker.id}: ${fault}`));
  }
  return { faults, events, turns };
}

async function untilQuiet(halyard: Halyard): Promise<void> {
  const deadline = performance.now() + QUIET_MS;
  for (;;) {
    const busy = (await halyard.sessions()).filter(({ turn, queue }) => turn || queue.length > 0);
    if (busy.length === 0) return;
    if (performance.now() > deadline)
      throw new Error(`Turns have not ended: ${JSON.stringify(busy, undefined, 2)}`);
    await sleep(100);
  }
}

/** Longer than the limit after which a turn without output fails. */
const QUIET_MS = 45_000;
