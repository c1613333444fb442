import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openJetStreamStore } from "../dist/stores/jetstream/store.js";
import { SampleLog } from "../dist/testing/sample-log.js";
import { sampleDelta } from "../dist/testing/sample-session.js";
import { startServers } from "./parts/nats-servers.mjs";
import { alternate, median, quantile, timeMs } from "./parts/statistics.mjs";

/** Measures the store on NATS JetStream with three servers, each event on all three, compared with bare JetStream in the same run. */
export async function measure() {
  const { servers, stop } = await startServers();
  /** @type {import("@nats-io/transport-node").NatsConnection[]} */
  const connections = [];
  const open = async () => {
    const connection = await connect({ servers });
    connections.push(connection);
    return connection;
  };
  try {
    return [await latency(open), await throughput(open), await listing(open)];
  } finally {
    for (const connection of connections) await connection.close();
    await stop();
  }
}

/** @typedef {() => Promise<import("@nats-io/transport-node").NatsConnection>} Open */

/**
 * Measures the time from the append of an event to its arrival at a reader with another connection.
 * @param {Open} open
 */
async function latency(open) {
  const cluster = "latency";
  const [writing, reading] = [
    await openJetStreamStore(await open(), { cluster, replicas: 3 }),
    await openJetStreamStore(await open(), { cluster, replicas: 3 }),
  ];
  const log = await SampleLog.create(writing);
  const bare = await bareStream(await open(), await open(), "bare-latency");
  const reader = followSession(reading, log.info.id);
  const ours = async () => {
    const arrived = reader.next();
    const beganMs = performance.now();
    await log.append([sampleDelta("0 ")]);
    await arrived;
    return performance.now() - beganMs;
  };
  const rounds = await alternate(400, { ours, bare: bare.exchange });
  const warm = rounds.slice(50);
  const times = {
    ours: warm.map((round) => round.ours),
    bare: warm.map((round) => round.bare),
  };
  reader.stop();
  for (const store of [writing, reading]) await store[Symbol.asyncDispose]();
  const [mine, theirs] = [median(times.ours), median(times.bare)];
  const cells = (/** @type {number[]} */ list) =>
    `${median(list).toFixed(2)} / ${quantile(list, 0.99).toFixed(2)} ms`;
  return {
    figure: "JetStream R3, append to remote reader, p50 / p99",
    ours: `${cells(times.ours)}, ${(mine / theirs).toFixed(1)} x`,
    beside: `${cells(times.bare)}, publish and consume`,
    target: "<= 3 x bare",
    isMet: mine <= 3 * theirs,
    data: times,
  };
}

/**
 * Returns a reader that follows a session as a client does: it watches the store all the time.
 * @param {import("../dist/contracts/store.js").Store} store
 * @param {import("../dist/schema/id.js").SessionId} id
 */
function followSession(store, id) {
  let after = 0;
  let version = 0;
  let notify = () => {};
  const stop = store.watch(() => {
    version++;
    notify();
  });
  return {
    stop,
    /** Resolves when an event has arrived. */
    async next() {
      for (;;) {
        const seen = version;
        const last = (await store.read(id, { after, limit: 100 })).at(-1);
        if (last) {
          after = last.seq;
          return;
        }
        if (version === seen)
          await new Promise((resolve) => {
            notify = () => resolve(undefined);
          });
      }
    },
  };
}

/**
 * Creates a stream. `exchange` measures the time of one message from the publisher to a consumer with another connection.
 * @param {import("@nats-io/transport-node").NatsConnection} from
 * @param {import("@nats-io/transport-node").NatsConnection} to
 * @param {string} name
 */
async function bareStream(from, to, name) {
  const manager = await jetstreamManager(from);
  await manager.streams.add({ name, subjects: [name], num_replicas: 3 });
  const publisher = jetstream(from);
  const consumer = await jetstream(to).consumers.get(name);
  const messages = await consumer.consume();
  const iterator = messages[Symbol.asyncIterator]();
  const payload = JSON.stringify(sampleDelta("0 "));
  return {
    async exchange() {
      const arrived = iterator.next();
      const beganMs = performance.now();
      await publisher.publish(name, payload);
      await arrived;
      return performance.now() - beganMs;
    },
  };
}

const EVENTS = 200_000;
const BLOCK = 100;
const SESSIONS = 10;

/**
 * Measures ten sessions that append blocks of 100 events. Reads and verifies every event.
 * @param {Open} open
 */
async function throughput(open) {
  const cluster = "throughput";
  const store = await openJetStreamStore(await open(), { cluster, replicas: 3 });
  const logs = await Promise.all(Array.from({ length: SESSIONS }, () => SampleLog.create(store)));
  const perSession = EVENTS / SESSIONS;
  const write = async (/** @type {SampleLog} */ log) => {
    for (let done = 0; done < perSession; done += BLOCK)
      await log.append(
        Array.from({ length: BLOCK }, (_, index) => sampleDelta(`${done + index} `)),
      );
  };
  const ms = await timeMs(() => Promise.all(logs.map(write)));
  for (const { info } of logs) {
    let expected = 0;
    for (let after = 0; expected < perSession; ) {
      const page = await store.read(info.id, { after, limit: 1_000 });
      if (page.length === 0) throw new Error(`${perSession - expected} events are lost.`);
      for (const event of page) {
        if (event.type !== "delta" || event.text !== `${expected} `)
          throw new Error(`Expected ${expected}, received ${JSON.stringify(event)}.`);
        expected++;
        after = event.seq;
      }
    }
  }
  const { rate, bytes } = await bareRate(await open());
  await store[Symbol.asyncDispose]();
  const perSecond = EVENTS / (ms / 1000);
  return {
    figure: "JetStream R3, throughput with blocks of 100, verified",
    ours: `${Math.round(perSecond / 1000)} k events/s`,
    beside: `${Math.round(rate)} messages/s of ${bytes} bytes, ten publishers`,
    target: ">= 20 k/s, none lost",
    isMet: perSecond >= 20_000,
    data: { perSecond, rate, bytes },
  };
}

/**
 * Measures the messages per second of ten publishers that wait for each acknowledgment. A message is as large as a block.
 * @param {import("@nats-io/transport-node").NatsConnection} connection
 */
async function bareRate(connection) {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: "bare-rate", subjects: ["bare-rate"], num_replicas: 3 });
  const publisher = jetstream(connection);
  const block = Array.from({ length: BLOCK }, (_, index) => sampleDelta(`${index} `));
  const payload = JSON.stringify(block);
  const count = EVENTS / BLOCK / SESSIONS;
  const publish = async () => {
    for (let index = 0; index < count; index++) await publisher.publish("bare-rate", payload);
  };
  const ms = await timeMs(() => Promise.all(Array.from({ length: SESSIONS }, publish)));
  return { rate: (count * SESSIONS) / (ms / 1000), bytes: Buffer.byteLength(payload) };
}

/** The number of sessions that are created at the same time. */
const AT_ONCE = 100;

/**
 * Measures the time to list all sessions, and to list them again after one session has written.
 * @param {Open} open
 */
async function listing(open) {
  const small = await filled(open, "small", 100);
  const large = await filled(open, "large", 10_000);
  const firstMs = await timeMs(() => large.list());
  const writers = { small: await SampleLog.create(small), large: await SampleLog.create(large) };
  const again = async (/** @type {"small" | "large"} */ name) => {
    await writers[name].append([sampleDelta("0 ")]);
    return timeMs(() => (name === "small" ? small : large).list());
  };
  const rounds = await alternate(9, { small: () => again("small"), large: () => again("large") });
  const few = median(rounds.map((round) => round.small));
  const many = median(rounds.map((round) => round.large));
  for (const store of [small, large]) await store[Symbol.asyncDispose]();
  return {
    figure: "JetStream R3, list 10,000 sessions, first / again",
    ours: `${Math.round(firstMs)} / ${many.toFixed(1)} ms`,
    beside: `${few.toFixed(1)} ms, 100 sessions again`,
    data: { firstMs, few, many },
  };
}

/**
 * @param {Open} open
 * @param {string} cluster
 * @param {number} count
 */
async function filled(open, cluster, count) {
  const store = await openJetStreamStore(await open(), { cluster, replicas: 3 });
  for (let done = 0; done < count; done += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        SampleLog.create(store, {
          machine: `machine-${(done + index) % 10}`,
          about: `Task ${done + index} of the benchmark`,
        }),
      ),
    );
  return store;
}
