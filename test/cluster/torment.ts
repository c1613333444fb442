import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { expect } from "vitest";
import { anySignal } from "../../src/async/any-signal.ts";
import { unlessAborted } from "../../src/async/unless-aborted.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { packDirectory } from "../../src/workspace/transfer/pack-directory.ts";
import { type Chance, createChance } from "../chaos/chance.ts";
import { faultsOf, readLog } from "../daemon/scene.ts";
import { untilSaved } from "./checks.ts";
import { diagnose } from "./diagnosis.ts";
import { Faults } from "./faults.ts";
import { PendingCalls } from "./pending-calls.ts";
import { ClusterScene } from "./scene.ts";
import { TormentedSession } from "./tormented-session.ts";

const MACHINES = ["one", "two", "three"] as const;
const LEASE_MS = 2_000;
const SESSIONS = 6;
/** The maximum time for the cluster to recover after the last fault, in seconds. */
export const RECOVERY_SECONDS = 120;
/**
 * A message that is recorded as started is never sent again. If a worker is killed after it has recorded the message and before it
 * has sent it, these limits end the turn.
 */
const limits = { firstOutputMs: 8_000, progressMs: 8_000, cancelMs: 3_000 };

/**
 * Runs sessions on three machines and three servers while workers and servers are killed and paused. Then checks that every
 * log is complete, every accepted turn has one end, and no process is left. If a check fails, prints the state of each session,
 * machine and call.
 */
export async function tormentCluster({ seed, seconds }: { seed: number; seconds: number }) {
  await using scene = await ClusterScene.open({ servers: 3, leaseMs: LEASE_MS });
  const calls = new PendingCalls();
  const connection = await scene.connect();
  const sessions: TormentedSession[] = [];
  const limitMs = (seconds + RECOVERY_SECONDS) * 1000;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(tooLong(limitMs)), limitMs);
  const torment = run({ scene, connection, calls, sessions, seed, seconds, limit: limit.signal });
  try {
    await unlessAborted(torment, limit.signal);
  } catch (error) {
    const ids = sessions.map(({ id }) => id);
    console.error(await diagnose({ scene, connection, calls, sessions: ids }));
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface Torment {
  readonly scene: ClusterScene;
  readonly connection: NatsConnection;
  readonly calls: PendingCalls;
  /** The started sessions are added to this array. */
  readonly sessions: TormentedSession[];
  readonly seed: number;
  readonly seconds: number;
  readonly limit: AbortSignal;
}

async function run(torment: Torment): Promise<void> {
  const { scene, calls, sessions, seed, seconds, limit } = torment;
  const chance = createChance(seed);
  for (const machine of MACHINES)
    await calls.track(`start the worker of ${machine}`, () => scene.work(machine));
  const client = await scene.client();
  await startSessions(torment, client, chance);
  const failure = new AbortController();
  const signal = anySignal([AbortSignal.timeout(seconds * 1000), failure.signal, limit]);
  const options = { machines: MACHINES, leaseMs: LEASE_MS, chance: chance.fork(-1), calls };
  const faults = await Faults.of(scene, options);
  const running = [faults.cause(signal), ...sessions.map((session) => session.work(signal))];
  const onFailure = (error: unknown) => failure.abort(error);
  for (const work of running) work.catch(onFailure);
  await Promise.allSettled(running); // none of them may start a process after the scene is closed
  if (failure.signal.aborted) throw failure.signal.reason;
  await calls.track("wait for the leases of all machines", () => faults.heal());
  const found: string[] = [];
  for (const session of sessions) {
    await session.untilQuiet();
    found.push(...(await calls.track("compare the logs", () => inspect(client, session))));
  }
  expect(found).toEqual([]);
  const turns = sessions.reduce((sum, { accepted }) => sum + accepted.length, 0);
  const moves = sessions.reduce((sum, session) => sum + session.moves, 0);
  console.log(
    `Seed ${seed}: ${turns} turns of ${SESSIONS} sessions, ${moves} moves; ${faults.summary}`,
  );
  expect(moves).toBeGreaterThan(0);
  for (const session of sessions)
    await session.through("stop", (halyard) => halyard.stop(session.id));
  await calls.track("end the workers", () => scene.stopWorkers());
  await eventually(async () => expect(await scene.processes()).toEqual([]));
}

/** Starts the sessions and waits until each one has been saved once, so that another machine can continue it. */
async function startSessions(
  { scene, connection, calls, sessions }: Torment,
  client: Halyard,
  chance: Chance,
): Promise<void> {
  await writeFile(join(scene.cwd, "a.txt"), "one\n");
  const upload = await packDirectory(scene.cwd, { PATH: process.env.PATH });
  for (let index = 0; index < SESSIONS; index++) {
    const on = MACHINES[index % MACHINES.length];
    const request = { runtime: "fake", permissions: "allow-all", limits, ...upload, on } as const;
    const { id } = await calls.track(`start a session on ${on}`, async () => {
      const session = await client.start(request);
      await session.send("say first").outcome;
      await untilSaved(client, session.id);
      return session;
    });
    sessions.push(new TormentedSession(id, { connection, chance: chance.fork(index), calls }));
  }
}

/** Returns the faults in the log of a session and in the events that its reader received. */
async function inspect(client: Halyard, session: TormentedSession): Promise<string[]> {
  let log: readonly StreamEvent[] = [];
  // A checkpoint after the last turn may be appended between the two reads.
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

function tooLong(limitMs: number): Error {
  return new Error(`The test has not ended after ${limitMs / 1000} s.`);
}
