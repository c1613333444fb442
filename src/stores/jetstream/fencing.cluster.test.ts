import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NatsServer } from "../../../test/nats/nats-server.ts";
import type { Store } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import type { SessionId } from "../../schema/id.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta, sampleProcess, sampleSession } from "../../testing/sample-session.ts";
import { openJetStreamStore } from "./store.ts";

/**
 * The fate of a request. `unacknowledged`: it is delivered, but its acknowledgment is lost. `lost`: it is never
 * delivered. `late`: it arrives after its sender has given up and other requests were delivered.
 */
type Fate = "delivered" | "unacknowledged" | "lost" | "late";

let nats: NatsServer;
let connections: NatsConnection[];
beforeAll(async () => {
  nats = await NatsServer.start();
  connections = await Promise.all([1, 2, 3].map(() => connect({ servers: nats.url })));
});
afterAll(async () => {
  for (const connection of connections) await connection.close();
  await nats[Symbol.asyncDispose]();
});

const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>("delivered") },
  { weight: 2, arbitrary: fc.constant<Fate>("unacknowledged") },
  { weight: 1, arbitrary: fc.constant<Fate>("lost") },
  { weight: 3, arbitrary: fc.constant<Fate>("late") },
);

test("an old owner never writes after a new owner has started, in any order of their requests", async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fate, { maxLength: 40 }),
      async (scheduler, fates) => {
        const cluster = `fencing-${runs++}`;
        const network = new Network(scheduler, [...fates]);
        const stores = await Promise.all(
          connections.map((connection) => openJetStreamStore(connection, { cluster })),
        );
        const log = await SampleLog.create(requireStore(stores[0]));
        const raced = await Promise.all(
          connections.map((connection) =>
            openJetStreamStore(network.over(connection), { cluster, patienceMs: 200 }),
          ),
        );
        const { id } = log.info;
        const first = await requireStore(stores[0]).claim(id, sampleProcess(1), sampleProcess(1));
        await first.release();
        const confirmed: string[] = [];
        network.isOpen = false;
        const owners = raced.map((store, index) => own(store, id, index + 1, confirmed));
        await scheduler.waitFor(Promise.all(owners));
        network.isOpen = true;
        await network.deliverLate();
        await expectFenced(requireStore(stores[0]), id, cluster, confirmed);
        const manager = await jetstreamManager(requireConnection(connections[0]));
        await manager.streams.delete(`halyard-${cluster}`);
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
}, 150_000);

/** Claims the session from its current owner, and writes `WRITES` events, or fewer if another process claims it. */
async function own(
  store: Store,
  id: SessionId,
  process: number,
  confirmed: string[],
): Promise<void> {
  const writer = await repeated(async () => {
    const record = await store.find(id);
    if (record === undefined) throw new Error("the session is gone");
    return store.claim(id, sampleProcess(process), record.owner).catch((error: unknown) => {
      if (isCode(error, "session_owned")) return undefined; // another process claimed the session first
      throw error;
    });
  });
  if (writer === undefined) return;
  const record = await repeated(() => store.find(id));
  if (record?.owner?.pid !== sampleProcess(process).pid) return;
  const log = new SampleLog(writer, record.info);
  for (let count = 1; count <= WRITES; count++) {
    const text = `${process}.${count} `;
    const before = log.info;
    try {
      await repeated(async () => {
        log.info = before;
        await log.append([sampleDelta(text)]);
      });
      confirmed.push(text);
    } catch (error) {
      if (isCode(error, "session_owned")) return;
      throw error;
    }
  }
}

/** Repeats a call while the servers do not respond, as a session's log does. */
async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isCode(error, "store_unreachable")) throw error;
    }
  }
}

/** Expects the owners in the order of their claims, and each confirmed event exactly once. */
async function expectFenced(
  store: Store,
  id: SessionId,
  cluster: string,
  confirmed: readonly string[],
): Promise<void> {
  const events = await store.read(id, { after: 0, limit: 1_000 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const texts = events.flatMap((event) => (event.type === "delta" ? [event.text] : []));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts).toEqual(expect.arrayContaining([...confirmed]));
  const owners = texts.map((text) => text.split(".")[0]);
  const begun = owners.filter((owner, index) => owner !== owners[index - 1]);
  expect(new Set(begun).size).toBe(begun.length); // an owner that was replaced never writes again
  for (const owner of new Set(owners)) {
    const own = texts.filter((text) => text.startsWith(`${owner}.`));
    expect(own).toEqual(own.map((_, index) => `${owner}.${index + 1} `));
  }
  const epochs = await epochsOf(cluster, id);
  expect(epochs).toEqual(epochs.toSorted((one, other) => one - other));
}

/** Returns the claim under which each message of a session was written, in stream order. */
async function epochsOf(cluster: string, id: SessionId): Promise<number[]> {
  const manager = await jetstreamManager(requireConnection(connections[0]));
  const stream = `halyard-${cluster}`;
  const { state } = await manager.streams.info(stream);
  const epochs: number[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const found = await manager.streams.getMessage(stream, { seq });
    if (found?.subject.endsWith(id))
      epochs.push(Number(JSON.parse(found.header.get("Halyard-Record")).epoch));
  }
  return epochs;
}

/** Connections whose requests wait for the scheduler. `fates` determines what happens to each write. */
class Network {
  /** True if requests are forwarded immediately. */
  isOpen = true;
  readonly #scheduler: fc.Scheduler;
  readonly #fates: Fate[];
  readonly #late: (() => Promise<unknown>)[] = [];

  constructor(scheduler: fc.Scheduler, fates: Fate[]) {
    this.#scheduler = scheduler;
    this.#fates = fates;
  }

  over(connection: NatsConnection): NatsConnection {
    const request: NatsConnection["request"] = async (subject, ...rest) => {
      const send = () => connection.request(subject, ...rest);
      if (this.isOpen) return send();
      await this.#scheduler.schedule(Promise.resolve(), subject);
      const isWrite = subject.includes(".log.") && !subject.startsWith("$JS");
      switch (isWrite ? (this.#fates.shift() ?? "delivered") : "delivered") {
        case "delivered":
          return send();
        case "unacknowledged":
          await send();
          throw new TimeoutError();
        case "lost":
          throw new TimeoutError();
        case "late":
          this.#late.push(send);
          void this.#scheduler
            .schedule(Promise.resolve(), `late ${subject}`)
            .then(() => this.deliverLate());
          throw new TimeoutError();
      }
    };
    return new Proxy(connection, {
      get(target, name) {
        if (name === "request") return request;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** Delivers the requests whose senders have given up. The senders never learn whether the servers accept them. */
  async deliverLate(): Promise<void> {
    for (const send of this.#late.splice(0)) await send().catch(() => {});
  }
}

class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof HalyardError && error.code === code;
}

function requireStore(store: Store | undefined): Store {
  if (store === undefined) throw new Error(`no store for ${sampleSession().id}`);
  return store;
}

function requireConnection(connection: NatsConnection | undefined): NatsConnection {
  if (connection === undefined) throw new Error("no connection");
  return connection;
}

const WRITES = 4;
