import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { packDirectory } from "../../src/workspace/transfer/pack-directory.ts";
import { createChance } from "../chaos/chance.ts";
import { faultsOf, readLog } from "../daemon/scene.ts";
import { untilInfo } from "./checks.ts";
import { Faults } from "./faults.ts";
import { ClusterScene } from "./scene.ts";
import { TormentedSession } from "./tormented-session.ts";

const MACHINES = ["one", "two", "three"] as const;
const LEASE_MS = 2_000;
const SESSIONS = 6;
/**
 * A message that is recorded as started is never sent again. If its worker is killed before it has sent the message, these limits
 * end the turn.
 */
const limits = { firstOutputMs: 8_000, progressMs: 8_000, cancelMs: 3_000 };

/**
 * Runs sessions on three machines and three servers while workers and servers are killed and paused, then checks that every
 * log is complete, that every accepted turn has one end, and that no process is left.
 */
export async function tormentCluster({ seed, seconds }: { seed: number; seconds: number }) {
  await using scene = await ClusterScene.open({ servers: 3, leaseMs: LEASE_MS });
  const chance = createChance(seed);
  for (const machine of MACHINES) await scene.work(machine);
  const connection = await scene.connect();
  await writeFile(join(scene.cwd, "a.txt"), "one\n");
  const upload = await packDirectory(scene.cwd, { PATH: process.env.PATH });
  const client = await scene.client();
  const sessions: TormentedSession[] = [];
  for (let index = 0; index < SESSIONS; index++) {
    const on = MACHINES[index % MACHINES.length];
    const request = { runtime: "fake", permissions: "allow-all", limits, ...upload, on } as const;
    const session = await client.start(request);
    await session.send("say first").outcome; // another machine can continue a session that was saved after a turn
    await untilInfo(
      client,
      session.id,
      ({ checkpoint }) => checkpoint?.missingTurnId === undefined,
    );
    sessions.push(new TormentedSession(connection, session.id, chance.fork(index)));
  }
  const failure = new AbortController();
  const signal = AbortSignal.any([AbortSignal.timeout(seconds * 1000), failure.signal]);
  const options = { machines: MACHINES, leaseMs: LEASE_MS, chance: chance.fork(-1) };
  const faults = await Faults.of(scene, options);
  const running = [faults.cause(signal), ...sessions.map((session) => session.work(signal))];
  const onFailure = (error: unknown) => failure.abort(error);
  for (const work of running) work.catch(onFailure);
  await Promise.allSettled(running); // none of them may start a process after the scene is closed
  if (failure.signal.aborted) throw failure.signal.reason;
  await faults.heal();
  const found: string[] = [];
  for (const session of sessions) {
    await session.untilQuiet();
    found.push(...(await inspect(client, session)));
  }
  expect(found).toEqual([]);
  const turns = sessions.reduce((sum, { accepted }) => sum + accepted.length, 0);
  const moves = sessions.reduce((sum, session) => sum + session.moves, 0);
  console.log(
    `Seed ${seed}: ${turns} turns of ${SESSIONS} sessions, ${moves} moves; ${faults.summary}`,
  );
  expect(moves).toBeGreaterThan(0);
  for (const { id } of sessions) await sessions[0]?.through((halyard) => halyard.stop(id));
  await scene.stopWorkers();
  await eventually(async () => expect(await scene.processes()).toEqual([]));
}

/** Returns what is wrong with the log of a session and with the events that its reader received. */
async function inspect(client: Halyard, session: TormentedSession): Promise<string[]> {
  let log: readonly StreamEvent[] = [];
  // A checkpoint after the last turn may be appended between both reads.
  await eventually(async () => {
    await session.readRest();
    log = await readLog(client, session.id as SessionId);
    expect(session.read.length).toBeGreaterThanOrEqual(log.length);
  });
  const ended = log.flatMap((event) => (event.type === "completion" ? [event.turnId] : []));
  const lost = session.accepted.filter((id) => !ended.includes(id));
  const isSame = JSON.stringify(session.read) === JSON.stringify(log);
  return [
    ...faultsOf(log),
    ...lost.map((id) => `${id} was accepted and has no end`),
    ...(isSame ? [] : [`its reader received ${session.read.length} of ${log.length} events`]),
  ].map((fault) => `${session.id}: ${fault}`);
}
