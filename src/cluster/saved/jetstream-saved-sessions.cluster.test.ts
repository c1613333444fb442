import { afterAll, beforeAll, expect, test } from "vitest";
import { NatsServer, startNatsCluster } from "../../../test/nats/nats-server.ts";
import { countSent, leaderOf, makeLeader } from "../../../test/nats/replicas.ts";
import { createDeferred } from "../../async/deferred.ts";
import type { SavedRevision, SavedSessions } from "../../contracts/saved-sessions.ts";
import { newSessionId } from "../../errors/require-id.ts";
import type { SessionId } from "../../schema/id.ts";
import type { SavedSession } from "../../schema/workspace/saved-session.ts";
import { createNatsClient, type NatsClient } from "../../stores/jetstream/nats.ts";
import { connectNats } from "../connect-nats.ts";
import { clusterSubjects } from "../subjects.ts";
import { openSavedSessions } from "./jetstream-saved-sessions.ts";

const subjects = clusterSubjects("main");
let nats: NatsServer;
const clients: NatsClient[] = [];
beforeAll(async () => {
  nats = await NatsServer.start();
});
afterAll(async () => {
  for (const { connection } of clients) await connection.close();
  await nats[Symbol.asyncDispose]();
});

test("keeps a piece that another machine has stored again before a late deletion arrives", async () => {
  const [one, two] = [await open("one"), await open("two")];
  const id = newSessionId();
  const requested = createDeferred<void>();
  const healed = createDeferred<void>();
  const { streams } = one.client.manager;
  const deleteMessage = streams.deleteMessage.bind(streams);
  streams.deleteMessage = async (...request) => {
    requested.resolve();
    await healed.promise;
    return deleteMessage(...request);
  };
  const first = await one.save(id, "a");
  const late = (async () => {
    const second = await one.save(id, "b", first);
    await one.save(id, "c", second);
  })();
  await requested.promise;
  await two.save(id, "a", await two.savedSessions.read(id));
  healed.resolve();
  await Promise.allSettled([late]); // the servers may accept or reject its last list
  expect(await two.restore(id)).toBe("a");
  await two.savedSessions.remove(id);
});

test("restores a session if the servers accept an outdated list after a newer one", async () => {
  const [one, two] = [await open("one"), await open("two")];
  const id = newSessionId();
  const first = await one.save(id, "a");
  await one.save(id, "b", first);
  // A new leader that has not applied the second list yet compares with the first one.
  const overtaken = JSON.stringify({ ...first.saved, machine: "two" });
  const { publisher, newHeaders } = two.client;
  const headers = newHeaders();
  headers.set("Halyard-Seal", "none");
  await publisher.publish(subjects.saved(id), overtaken, { headers });
  expect(await two.restore(id)).toBe("a");
  await two.savedSessions.remove(id);
});

test("deletes pieces that the last two lists do not contain, and a removed session's messages", async () => {
  const [one, two] = [await open("one"), await open("two")];
  const id = newSessionId();
  let last: SavedRevision | undefined;
  for (const content of ["a", "b", "c", "d"]) last = await one.save(id, content, last);
  expect(await stored(one.client, id)).toBe(3); // the list, and the pieces of "c" and "d"
  await one.savedSessions.put(
    id,
    Buffer.from("its machine is killed before it writes the list"),
    last,
  );
  last = await two.save(id, "d", await two.savedSessions.read(id));
  last = await two.save(id, "d", last);
  expect(await stored(two.client, id)).toBe(2);
  expect(await two.restore(id)).toBe("d");
  await expect(one.save(id, "e", await one.savedSessions.read(id))).resolves.toBeDefined();
  await expect(two.save(id, "f", last)).rejects.toMatchObject({ code: "session_owned" });
  expect(await one.restore(id)).toBe("e");
  await one.savedSessions.remove(id);
  expect(await stored(one.client, id)).toBe(0);
});

test("retries the read of a piece that the servers do not find at first", async () => {
  const one = await open("one");
  const id = newSessionId();
  await one.save(id, "a");
  const { streams } = one.client.manager;
  const getMessage = streams.getMessage.bind(streams);
  let misses = 0;
  // A new leader that has not applied all messages yet responds that the message does not exist.
  streams.getMessage = (stream, query) => {
    const isPiece = "last_by_subj" in query && query.last_by_subj.includes(".piece.");
    return isPiece && misses++ === 0 ? Promise.resolve(null) : getMessage(stream, query);
  };
  expect(await one.restore(id)).toBe("a");
  await one.savedSessions.remove(id);
});

test("accepts only the first of two lists that the leader receives before its followers respond", async () => {
  const servers = await startNatsCluster();
  try {
    const observer = await open("observer", { servers });
    const leader = await leaderOf(observer.client.connection, servers, subjects.fileStream);
    const [one, two] = [
      await open("one", { servers: [leader] }),
      await open("two", { servers: [leader] }),
    ];
    const id = newSessionId();
    const first = await one.save(id, "a");
    const followers = servers.filter((server) => server !== leader);
    for (const follower of followers) await follower.pause();
    const [oneSent, twoSent] = [countSent(one.client.connection), countSent(two.client.connection)];
    const taken = two.savedSessions.write(id, { ...first.saved, machine: "two" }, first);
    await twoSent(1);
    const late = one.savedSessions.write(id, { ...first.saved, turns: 2 }, first);
    await oneSent(1);
    for (const follower of followers) follower.continue();
    expect(await Promise.allSettled([taken, late])).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { code: "session_owned" } },
    ]);
    expect((await two.savedSessions.read(id))?.saved).toEqual({ ...first.saved, machine: "two" });
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

test("keeps other sessions' pieces if a server restarts after a deletion", async () => {
  const servers = await startNatsCluster();
  try {
    const one = await open("one", { servers });
    const { connection } = one.client;
    const [kept, other] = [newSessionId(), newSessionId()];
    await one.save(kept, "kept");
    let last: SavedRevision | undefined;
    for (const content of ["a", "b", "c"]) last = await one.save(other, content, last);
    const leader = await leaderOf(connection, servers, subjects.fileStream);
    const [server] = servers.filter((one) => one !== leader);
    if (server === undefined) throw new Error("no follower");
    await server.kill();
    await one.save(other, "d", last);
    await server.restart();
    await makeLeader(connection, servers, { stream: subjects.fileStream, server });
    expect([await one.restore(kept), await one.restore(other)]).toEqual(["kept", "d"]);
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

/** A machine that saves sessions. Each session's conversation is one file. */
interface SavingMachine {
  readonly client: NatsClient;
  readonly savedSessions: SavedSessions;
  save(id: SessionId, content: string, replacing?: SavedRevision): Promise<SavedRevision>;
  restore(id: SessionId): Promise<string | undefined>;
}

async function open(
  machine: string,
  { servers = [nats] }: { servers?: readonly NatsServer[] } = {},
): Promise<SavingMachine> {
  const addresses = servers.map(({ url }) => url).join(",");
  const client = await createNatsClient(await connectNats({ servers: addresses }));
  clients.push(client);
  const savedSessions = await openSavedSessions(client, { subjects, replicas: servers.length });
  return {
    client,
    savedSessions,
    async save(id, text, replacing) {
      const content = await savedSessions.put(id, Buffer.from(text), replacing);
      const conversation = [{ path: "log", content }];
      return savedSessions.write(id, { ...sample, id, machine, conversation }, replacing);
    },
    async restore(id) {
      const [file] = (await savedSessions.read(id))?.saved.conversation ?? [];
      return file && String(await savedSessions.get(id, file.content));
    },
  };
}

const sample: Omit<SavedSession, "id" | "machine" | "conversation"> = {
  version: 1,
  turns: 1,
  name: "files",
  cwd: "",
  isRepository: false,
  base: "1",
  commit: "1",
  commits: ["1"],
  packs: [],
};

/** Returns the number of stored messages of a session. */
async function stored({ manager }: NatsClient, id: SessionId): Promise<number> {
  const filter = { subjects_filter: subjects.filesOf(id) };
  const { state } = await manager.streams.info(subjects.fileStream, filter);
  return Object.keys(state.subjects ?? {}).length;
}
