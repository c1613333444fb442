import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { untilSaved } from "../../../test/cluster/checks.ts";
import { guardedDirectory } from "../../../test/guard/guarded-directory.ts";
import { NatsServer } from "../../../test/nats/nats-server.ts";
import { connectNats } from "../../cluster/connect-nats.ts";
import { openSavedSessions } from "../../cluster/saved/jetstream-saved-sessions.ts";
import { clusterSubjects } from "../../cluster/subjects.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import type { SavedSessions } from "../../contracts/saved-sessions.ts";
import { createHalyard } from "../../create-halyard.ts";
import { createNatsClient } from "../../stores/jetstream/nats.ts";
import { openJetStreamStore } from "../../stores/jetstream/store.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { packDirectory } from "../../workspace/transfer/pack-directory.ts";

test("starts a new agent for a session that moves back to a machine, and stops its earlier agent there", async () => {
  const { open, id } = await movedSession();
  await using one = await open("one");
  const [earlier] = await one.processes();
  const { info } = await one.resume(id);
  expect(info.pid).not.toBe(earlier?.pid);
  expect((await one.processes()).map(({ pid }) => pid)).toEqual([info.pid]);
});

test("keeps the files of a session that returns to a machine while the machine deletes files of moved sessions", async () => {
  const { open, id } = await movedSession();
  let deletion: Promise<unknown> | undefined;
  // Deletes the files of moved sessions between two steps of the takeover, which waits at most 0.5 s for the deletion.
  const slowed = (savedSessions: SavedSessions): SavedSessions => ({
    put: (...given) => savedSessions.put(...given),
    write: (...given) => savedSessions.write(...given),
    read: (...given) => savedSessions.read(...given),
    remove: (...given) => savedSessions.remove(...given),
    get: async (...given) => {
      deletion ??= one.reap();
      await Promise.race([deletion, sleep(500)]);
      return savedSessions.get(...given);
    },
  });
  await using one = await open("one", slowed);
  const session = await one.resume(id);
  await deletion;
  expect(await session.send("sh cat a.txt").outcome).toMatchObject({ status: "completed" });
  expect(session.info.machine).toBe("one");
});

/** Starts a session on machine one, moves it to machine two, and stops it. Its first agent still runs on machine one. */
async function movedSession() {
  const { open, start } = await newMachines();
  const id = await start("one");
  await using two = await open("two");
  await (await two.resume(id)).send("say second").outcome;
  await untilSaved(two, id);
  await two.stop(id);
  return { open, id };
}

/** Prepares a cluster in which no machine holds a lease, so that each machine can take over the others' sessions. */
async function newMachines() {
  const guard = await guardedDirectory("halyard-take-over-");
  onTestFinished(() => guard[Symbol.asyncDispose]());
  const nats = await NatsServer.start({ parent: guard.path });
  const connection = await connectNats({ servers: nats.url });
  onTestFinished(() => connection.close());
  const client = await createNatsClient(connection);
  const options = { subjects: clusterSubjects("main"), replicas: 1 };
  const savedSessions = await openSavedSessions(client, options);
  const env = { PATH: process.env.PATH };
  const open = async (machine: string, change = (own: SavedSessions) => own): Promise<Halyard> =>
    createHalyard({
      home: join(guard.path, machine),
      env,
      adapters: [fakeAdapter({ env })],
      store: await openJetStreamStore(connection),
      membership: {
        machine,
        holdsLease: async () => false,
        reach: async () => undefined,
        isConnected: async () => false,
        savedSessions: change(savedSessions),
      },
      detached: true,
      onDispose: "detach",
    });
  /** Starts a session whose agent continues to run after its machine has left the cluster. */
  const start = async (machine: string): Promise<string> => {
    await using halyard = await open(machine);
    const cwd = join(guard.path, "files");
    await mkdir(cwd);
    await writeFile(join(cwd, "a.txt"), "one\n");
    const files = await packDirectory(cwd, env);
    const request = { runtime: "fake", permissions: "allow-all", ...files } as const;
    const session = await halyard.start(request);
    await session.send("say first").outcome;
    await untilSaved(halyard, session.id);
    return session.id;
  };
  return { open, start };
}
