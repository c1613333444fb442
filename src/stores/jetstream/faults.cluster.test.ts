import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, expect, test } from "vitest";
import { NatsServer, startNatsCluster } from "../../../test/nats/nats-server.ts";
import { countSent, leaderOf, makeLeader } from "../../../test/nats/replicas.ts";
import type { Store } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta, sampleProcess } from "../../testing/sample-session.ts";
import { openJetStreamStore } from "./store.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

test("neither loses nor duplicates an event when the stream's leader is killed", async () => {
  const servers = await cluster();
  const { store, connection } = await openStore(servers, { replicas: 3 });
  const log = await SampleLog.create(store);
  const texts: string[] = [];
  for (let count = 0; count < 120; count++) {
    if (count === 40) await (await leaderOf(connection, servers, "halyard-main")).kill();
    texts.push(`${count} `);
    await retried(log, `${count} `);
  }
  expect(await textsIn(store, log)).toEqual(texts);
});

test("rejects appends without a majority, and accepts them when the servers respond again", async () => {
  const servers = await cluster();
  const [kept, ...others] = servers;
  if (kept === undefined) throw new Error("no server");
  const { store } = await openStore([kept], { replicas: 3, patienceMs: 500 });
  const log = await SampleLog.create(store);
  await log.append([sampleDelta("before")]);
  for (const server of others) await server.kill();
  const before = log.info;
  await expect(log.append([sampleDelta("during")])).rejects.toMatchObject({
    code: "store_unreachable",
  });
  log.info = before;
  for (const server of others) await server.restart();
  await retried(log, "during");
  await log.append([sampleDelta("after")]);
  expect(await textsIn(store, log)).toEqual(["before", "during", "after"]);
});

test("creates the stream only if enough servers for its replicas respond", async () => {
  const servers = await cluster();
  const [first, , last] = servers;
  if (first === undefined || last === undefined) throw new Error("no server");
  await last.kill("SIGTERM"); // the other servers detect the exit immediately
  const connection = await connect({ servers: first.url });
  open.push({ [Symbol.asyncDispose]: () => connection.close() });
  await expect(
    openJetStreamStore(connection, { replicas: 3, patienceMs: 500 }),
  ).rejects.toMatchObject({ code: "store_unreachable" });
  await last.restart();
  const { store } = await openStore([first], { replicas: 3 });
  const log = await SampleLog.create(store);
  await retried(log, "a");
  expect(await textsIn(store, log)).toEqual(["a"]);
});

test("recognizes its own write after the acknowledgment was lost", async () => {
  const server = await NatsServer.start();
  open.push(server);
  const { store } = await openStore([server], { patienceMs: 100 });
  const log = await SampleLog.create(store);
  await log.append([sampleDelta("a")]);
  const before = log.info;
  await server.pause(); // the server stores the message, but sends the acknowledgment only after it continues
  const blocks = ["b", "c"].map((text) => log.append([sampleDelta(text)]));
  expect(await Promise.allSettled(blocks)).toMatchObject([
    { status: "rejected", reason: { code: "store_unreachable" } },
    { status: "rejected", reason: { code: "store_unreachable" } },
  ]);
  server.continue();
  log.info = before;
  for (const text of ["b", "c", "d"]) await retried(log, text);
  expect(await textsIn(store, log)).toEqual(["a", "b", "c", "d"]);
});

test("rejects a former owner's late writes after another process has claimed the session", async () => {
  const server = await NatsServer.start();
  open.push(server);
  const paused = await openStore([server]);
  const heir = await openStore([server]);
  const log = await SampleLog.create(paused.store);
  await log.append([sampleDelta("a")]);
  const { info } = log;
  const writer = await heir.store.claim(info.id, sampleProcess(2), sampleProcess(1));
  const late = Array.from({ length: 5 }, () => log.append([sampleDelta("late")]));
  await new SampleLog(writer, info).append([sampleDelta("b")]);
  for (const { status } of await Promise.allSettled(late)) expect(status).toBe("rejected");
  expect(await textsIn(heir.store, log)).toEqual(["a", "b"]);
});

test("accepts only the first of two writes that the leader receives before its followers respond", async () => {
  const servers = await cluster();
  const { store, connection } = await openStore(servers, { replicas: 3 });
  const log = await SampleLog.create(store);
  await retried(log, "a");
  const leader = await leaderOf(connection, servers, "halyard-main");
  const owner = await openStore([leader]);
  const heir = await openStore([leader]);
  const { info } = log;
  const writer = await owner.store.claim(info.id, sampleProcess(2), sampleProcess(1));
  const followers = servers.filter((server) => server !== leader);
  for (const follower of followers) await follower.pause();
  const [ownerSent, heirSent] = [countSent(owner.connection), countSent(heir.connection)];
  const append = new SampleLog(writer, info).append([sampleDelta("b")]);
  await ownerSent(1);
  const claim = heir.store.claim(info.id, sampleProcess(3), sampleProcess(2));
  await heirSent(2); // two requests: read the last message, write the claim
  for (const follower of followers) follower.continue();
  expect(await Promise.allSettled([append, claim])).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "session_owned" } },
  ]);
  expect(await textsIn(heir.store, log)).toEqual(["a", "b"]);
});

test("keeps the other sessions if a server restarts after a session is removed", async () => {
  const servers = await cluster();
  const { store, connection } = await openStore(servers, { replicas: 3 });
  const [kept, removed] = [await SampleLog.create(store), await SampleLog.create(store)];
  for (const log of [kept, removed]) await retried(log, "a");
  await store.remove(removed.info.id);
  await retried(kept, "b");
  const leader = await leaderOf(connection, servers, "halyard-main");
  const [server] = servers.filter((one) => one !== leader);
  if (server === undefined) throw new Error("no follower");
  await server.kill();
  await retried(kept, "c");
  await server.restart();
  await makeLeader(connection, servers, { stream: "halyard-main", server });
  expect(await textsIn(store, kept)).toEqual(["a", "b", "c"]);
  expect((await store.list()).map(({ info }) => info.id)).toEqual([kept.info.id]);
  expect(await store.find(removed.info.id)).toBeUndefined();
});

test("rejects appends to a full stream and accepts them when there is space", async () => {
  const server = await NatsServer.start();
  open.push(server);
  const { store, connection } = await openStore([server]);
  const log = await SampleLog.create(store);
  const manager = await jetstreamManager(connection);
  const limit = async (max_bytes: number) => {
    const { config } = await manager.streams.info("halyard-main");
    await manager.streams.update("halyard-main", { ...config, max_bytes });
  };
  await limit(8_000);
  const before = log.info;
  await expect(log.append([sampleDelta("x".repeat(9_000))])).rejects.toMatchObject({
    code: "store_full",
  });
  log.info = before;
  await limit(-1);
  await log.append([sampleDelta("room")]);
  expect(await textsIn(store, log)).toEqual(["room"]);
});

async function cluster(): Promise<NatsServer[]> {
  const servers = await startNatsCluster();
  open.push(...servers);
  return servers;
}

async function openStore(
  servers: readonly NatsServer[],
  options: { replicas?: number; patienceMs?: number } = {},
): Promise<{ store: Store; connection: NatsConnection }> {
  const connection = await connect({
    servers: servers.map(({ url }) => url),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
  });
  open.push({ [Symbol.asyncDispose]: () => connection.close() });
  const store = await retry(() => openJetStreamStore(connection, options));
  open.push(store);
  return { store, connection };
}

/** Appends a text. Repeats the same append while the servers do not respond. */
async function retried(log: SampleLog, text: string): Promise<void> {
  const before = log.info;
  await retry(() => {
    log.info = before;
    return log.append([sampleDelta(text)]);
  });
}

async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HalyardError && error.code === "store_unreachable")) throw error;
    }
  }
}

async function textsIn(store: Store, { info }: SampleLog): Promise<(string | undefined)[]> {
  const events = await store.read(info.id, { after: 0, limit: 1_000 });
  return events.map((event) => (event.type === "delta" ? event.text : undefined));
}
