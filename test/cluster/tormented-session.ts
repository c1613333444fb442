import { setTimeout as sleep } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { anySignal } from "../../src/async/any-signal.ts";
import { unlessAborted } from "../../src/async/unless-aborted.ts";
import { connectCluster } from "../../src/cluster/connect.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { HalyardError } from "../../src/errors/error.ts";
import { newTurnId } from "../../src/errors/require-id.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { TurnId } from "../../src/schema/id.ts";
import { liveStates } from "../../src/schema/session/session-state.ts";
import type { Chance } from "../chaos/chance.ts";
import { isMove } from "../daemon/scene.ts";
import type { PendingCalls } from "./pending-calls.ts";

export interface TormentedSessionOptions {
  readonly connection: NatsConnection;
  readonly chance: Chance;
  readonly calls: PendingCalls;
}

/** Sends messages to a session and reads its events while machines and servers fail. */
export class TormentedSession {
  readonly id: string;
  /** The turns that the session has accepted. */
  readonly accepted: TurnId[] = [];
  /** The events that one reader received across all its connections. */
  readonly read: StreamEvent[] = [];
  readonly #connection: NatsConnection;
  readonly #chance: Chance;
  readonly #calls: PendingCalls;

  constructor(id: string, { connection, chance, calls }: TormentedSessionOptions) {
    this.id = id;
    this.#connection = connection;
    this.#chance = chance;
    this.#calls = calls;
  }

  /** The number of times that the session has continued on another machine. */
  get moves(): number {
    return this.read.filter(isMove).length;
  }

  /** Sends messages and follows the events until the signal aborts. */
  async work(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#talk(signal), this.#follow(signal)]);
  }

  /** Resolves when no turn runs or waits. Another machine may continue the session in the meantime. */
  async untilQuiet(): Promise<void> {
    await this.through("wait for the end of its turns", async (halyard) => {
      const info = await halyard.find(this.id);
      if (info?.unreachable && this.#chance.is(0.2)) await halyard.resume(this.id);
      if (info && !liveStates.includes(info.state) && !info.turn) return;
      if (!info || info.unreachable || info.turn || info.queue.length > 0)
        throw new HalyardError("unreachable", `The session is not quiet: ${JSON.stringify(info)}`);
    });
  }

  /** Reads the events that the reader has not received yet. */
  async readRest(): Promise<void> {
    await this.through("read its events", (halyard) => this.#readOn(halyard, { follow: false }));
  }

  /**
   * Calls a function with a new client, and again after an error that a fault of the cluster explains. Fails if the errors do not
   * end, or if one call takes too long: a client must notice that a machine does not respond.
   */
  through<T>(name: string, work: (halyard: Halyard) => Promise<T>): Promise<T> {
    return this.#calls.track(`${this.id}: ${name}`, async (call) => {
      const deadline = performance.now() + PATIENCE_MS;
      for (let attempt = 1; ; attempt++) {
        try {
          const once = this.#once(work);
          return await unlessAborted(once, AbortSignal.timeout(CALL_MS));
        } catch (error) {
          const isExpected = error instanceof HalyardError && transient.includes(error.code);
          if (!isExpected || performance.now() > deadline)
            throw new Error(`${call.name} failed in attempt ${attempt}`, { cause: error });
          call.note = `attempt ${attempt + 1} after ${error}`;
          await sleep(100);
        }
      }
    });
  }

  async #once<T>(work: (halyard: Halyard) => Promise<T>): Promise<T> {
    await using halyard = await connectCluster(this.#connection, { reconnectMs: 5_000 });
    return await work(halyard);
  }

  async #talk(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#send(newTurnId(), this.#prompt());
      await this.untilQuiet();
    }
  }

  /** Sends a message with the same id in every attempt. */
  async #send(id: TurnId, text: string): Promise<void> {
    await this.through(`send ${id}`, async (halyard) => {
      await this.#makeReachable(halyard);
      const receipt = await (await halyard.session(this.id)).send(text, { id }).accepted;
      // A message whose machine fails before the runtime has received it is never sent again, but its turn ends.
      if (receipt.status === "failed" && !(await this.#hasEnded(halyard, id)))
        throw new HalyardError(receipt.error.code, receipt.error.message);
    });
    this.accepted.push(id);
  }

  async #hasEnded(halyard: Halyard, id: TurnId): Promise<boolean> {
    for await (const event of halyard.events(this.id, { follow: false }))
      if (event.type === "completion" && event.turnId === id) return true;
    return false;
  }

  /** Continues the session on another machine, or waits for its machine. */
  async #makeReachable(halyard: Halyard): Promise<void> {
    const info = await halyard.find(this.id);
    const isStopped = info !== undefined && !liveStates.includes(info.state);
    if (!isStopped && !info?.unreachable) return;
    if (!isStopped && this.#chance.is(0.5))
      throw new HalyardError("machine_unreachable", "The test waits for the machine.");
    await halyard.resume(this.id);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const cut = anySignal([signal, AbortSignal.timeout(this.#chance.between(500, 6_000))]);
      await this.through("follow its events", (halyard) => this.#readOn(halyard, { signal: cut }));
      await sleep(20);
    }
  }

  async #readOn(halyard: Halyard, options: { signal?: AbortSignal; follow?: boolean }) {
    const after = this.read.at(-1)?.seq ?? 0;
    for await (const event of halyard.events(this.id, { after, ...options })) this.read.push(event);
  }

  #prompt(): string {
    const count = this.#chance.between(1, 300);
    return this.#chance.pick([
      `stream ${count}`,
      `say a; tick ${this.#chance.between(5, 40)} ${this.#chance.between(1, 30)}; say b`,
      `sh echo ${count} >> a.txt; say done`,
      `sh sleep 0.${this.#chance.between(1, 9)}; stream ${count}`,
      "fail on purpose",
    ]);
  }
}

/** The error codes that a failing machine or server explains. A retry must succeed before the deadline. */
const transient: readonly string[] = [
  "unreachable",
  "machine_unreachable",
  "store_unreachable",
  "session_stopped",
  "session_owned",
  "no_machine",
  "not_resumable",
  "timed_out",
];
const PATIENCE_MS = 90_000;
const CALL_MS = 60_000;
