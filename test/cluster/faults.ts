import { setTimeout as sleep } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { expect } from "vitest";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { liveStates } from "../../src/schema/session/session-state.ts";
import { eventually } from "../../src/testing/eventually.ts";
import type { Chance } from "../chaos/chance.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { ClusterScene } from "./scene.ts";

export interface FaultsOptions {
  readonly machines: readonly [string, ...string[]];
  readonly leaseMs: number;
  readonly chance: Chance;
  readonly calls: PendingCalls;
}

type Fault = (chance: Chance) => Promise<void>;

/**
 * Kills and pauses workers and servers. At most one worker and one server are faulty at the same time, so that another machine can
 * continue each session and the servers have a majority.
 */
export class Faults {
  readonly #scene: ClusterScene;
  readonly #connection: NatsConnection;
  readonly #client: Halyard;
  readonly #options: FaultsOptions;
  readonly #counts = new Map<string, number>();

  private constructor(
    scene: ClusterScene,
    { connection, client }: { connection: NatsConnection; client: Halyard },
    options: FaultsOptions,
  ) {
    this.#scene = scene;
    this.#connection = connection;
    this.#client = client;
    this.#options = options;
  }

  static async of(scene: ClusterScene, options: FaultsOptions): Promise<Faults> {
    const connections = { connection: await scene.connect(), client: await scene.client() };
    return new Faults(scene, connections, options);
  }

  get summary(): string {
    return [...this.#counts].map(([name, count]) => `${count} × ${name}`).join(", ");
  }

  /** Causes faults until the signal aborts. */
  async cause(signal: AbortSignal): Promise<void> {
    const { chance } = this.#options;
    await Promise.all([
      this.#repeat(this.#workerFaults, { chance: chance.fork(0), pauseMs: [200, 1_500], signal }),
      this.#repeat(this.#serverFaults, { chance: chance.fork(1), pauseMs: [2_000, 8_000], signal }),
    ]);
  }

  /** Resolves when all machines hold a lease. */
  async heal(): Promise<void> {
    await eventually(async () => {
      const machines = (await this.#scene.nodes()).map(({ machine }) => machine);
      expect(machines.toSorted()).toEqual(this.#options.machines.toSorted());
    });
  }

  readonly #workerFaults = {
    /** The worker attaches to its agents again before its lease expires. */
    "worker killed": async (chance: Chance) => {
      const machine = chance.pick(this.#options.machines);
      await this.#scene.signal(machine, "SIGKILL");
      await sleep(chance.between(0, this.#options.leaseMs / 3)); // the random length of the fault, not a wait for a condition
      await this.#scene.work(machine);
    },
    "worker killed until its sessions moved": async (chance: Chance) => {
      const machine = await this.#pickHolder(chance);
      await this.#scene.signal(machine, "SIGKILL");
      await this.#untilLeft(machine, chance);
      await this.#scene.work(machine);
    },
    "worker paused": async (chance: Chance) => {
      const machine = chance.pick(this.#options.machines);
      await this.#scene.signal(machine, "SIGSTOP");
      await sleep(chance.between(200, 1.5 * this.#options.leaseMs));
      await this.#scene.signal(machine, "SIGCONT");
    },
    "worker paused until its sessions moved": async (chance: Chance) => {
      const machine = await this.#pickHolder(chance);
      await this.#scene.signal(machine, "SIGSTOP");
      await this.#untilLeft(machine, chance);
      await this.#scene.signal(machine, "SIGCONT");
    },
  };

  readonly #serverFaults = {
    "leader killed": async (chance: Chance) => {
      const manager = await jetstreamManager(this.#connection, { checkAPI: false });
      const info = await manager.streams.info("halyard-main").catch(() => undefined); // fails during an election
      const index = Number(info?.cluster?.leader?.slice(1) ?? chance.between(0, 2));
      const server = this.#scene.nats[index];
      await server?.kill();
      await sleep(chance.between(0, 2_000));
      await server?.restart();
    },
    "server paused": async (chance: Chance) => {
      const server = this.#scene.nats[chance.between(0, 2)];
      await server?.pause();
      await sleep(chance.between(100, 2_000));
      server?.continue();
    },
  };

  async #repeat(
    faults: Readonly<Record<string, Fault>>,
    how: { chance: Chance; pauseMs: readonly [number, number]; signal: AbortSignal },
  ): Promise<void> {
    const { chance, pauseMs, signal } = how;
    const names = Object.keys(faults);
    while (!signal.aborted) {
      const name = chance.pick([names[0] ?? "", ...names.slice(1)]);
      await this.#options.calls.track(`fault "${name}"`, async () => faults[name]?.(chance));
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      await sleep(chance.between(...pauseMs), undefined, { signal }).catch(() => {});
    }
  }

  /** Returns a machine that runs sessions, or any machine if none does. */
  async #pickHolder(chance: Chance): Promise<string> {
    const sessions = await this.#client.sessions({ states: liveStates }).catch(() => []);
    const holds = (name: string) => sessions.some(({ machine }) => machine === name);
    const [first, ...others] = this.#options.machines.filter(holds);
    return chance.pick(first === undefined ? this.#options.machines : [first, ...others]);
  }

  /**
   * Resolves when other machines have continued the sessions of a machine. Waits for at most five lease periods, because a
   * session that was not saved does not move.
   */
  async #untilLeft(machine: string, chance: Chance): Promise<void> {
    const deadline = performance.now() + 5 * this.#options.leaseMs;
    const isLeft = async () => {
      const sessions = await this.#client.sessions({ states: liveStates }).catch(() => undefined);
      return sessions?.every((session) => session.machine !== machine);
    };
    while (performance.now() < deadline && !(await isLeft())) await sleep(200);
    await sleep(chance.between(0, this.#options.leaseMs / 2));
  }
}
