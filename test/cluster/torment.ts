import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { expect } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { packDirectory } from "../../src/workspace/transfer/pack-directory.ts";
import { type Chance, createChance } from "../chaos/chance.ts";
import { faultsOf, readLog } from "../daemon/scene.ts";
import { ClusterScene } from "./scene.ts";
import { TormentedSession } from "./tormented-session.ts";

const MACHINES = ["one", "two", "three"] as const;
const LEASE_MS = 3_000;
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
    await session.ready();
    sessions.push(new TormentedSession(connection, session.id, chance.fork(index)));
  }
  const signal = AbortSignal.timeout(seconds * 1000);
  const faults = new Faults(scene, connection, chance.fork(-1));
  await Promise.all([faults.cause(signal), ...sessions.map((session) => session.work(signal))]);
  await faults.heal();
  const found: string[] = [];
  for (const session of sessions) {
    await session.untilQuiet();
    found.push(...(await inspect(client, session)));
  }
  expect(found).toEqual([]);
  const turns = sessions.reduce((sum, { accepted }) => sum + accepted.length, 0);
  const moves = sessions.reduce((sum, session) => sum + session.moves, 0);
  console.log(`${turns} turns of ${SESSIONS} sessions, ${moves} moves; ${faults.summary}`);
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

/** Kills and pauses workers and servers, one at a time, and repairs each before the next. */
class Faults {
  readonly #scene: ClusterScene;
  readonly #connection: NatsConnection;
  readonly #chance: Chance;
  readonly #counts = new Map<string, number>();

  constructor(scene: ClusterScene, connection: NatsConnection, chance: Chance) {
    this.#scene = scene;
    this.#connection = connection;
    this.#chance = chance;
  }

  get summary(): string {
    return [...this.#counts].map(([name, count]) => `${name}: ${count}`).join(", ");
  }

  async cause(signal: AbortSignal): Promise<void> {
    const kinds = [this.killWorker, this.pauseWorker, this.killLeader, this.pauseServer] as const;
    while (!signal.aborted) {
      const fault = this.#chance.pick(kinds);
      this.#counts.set(fault.name, (this.#counts.get(fault.name) ?? 0) + 1);
      await fault.call(this);
      await sleep(this.#chance.between(200, 1_500), undefined, { signal }).catch(() => {});
    }
  }

  /** Resolves when all machines hold a lease again. */
  async heal(): Promise<void> {
    await eventually(async () => {
      const machines = (await this.#scene.nodes()).map(({ machine }) => machine);
      expect(machines.toSorted()).toEqual(MACHINES.toSorted());
    });
  }

  async killWorker(): Promise<void> {
    const machine = this.#chance.pick(MACHINES);
    await this.#scene.signal(machine, "SIGKILL");
    await sleep(this.#chance.between(0, 2 * LEASE_MS)); // a fault of random length, not a wait for something
    await this.#scene.work(machine);
  }

  async pauseWorker(): Promise<void> {
    const machine = this.#chance.pick(MACHINES);
    await this.#scene.signal(machine, "SIGSTOP");
    await sleep(this.#chance.between(200, 2 * LEASE_MS));
    await this.#scene.signal(machine, "SIGCONT");
  }

  async killLeader(): Promise<void> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    const info = await manager.streams.info("halyard-main").catch(() => undefined); // an election
    const index = Number(info?.cluster?.leader?.slice(1) ?? this.#chance.between(0, 2));
    const server = this.#scene.nats[index];
    await server?.kill();
    await sleep(this.#chance.between(0, 2_000));
    await server?.restart();
  }

  async pauseServer(): Promise<void> {
    const server = this.#scene.nats[this.#chance.between(0, 2)];
    await server?.pause();
    await sleep(this.#chance.between(100, 2_000));
    server?.continue();
  }
}
