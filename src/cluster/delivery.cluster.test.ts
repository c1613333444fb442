import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { expect, test } from "vitest";
import { expectWhole, untilInfo } from "../../test/cluster/checks.ts";
import { ClusterScene } from "../../test/cluster/scene.ts";
import { untilSaid } from "../../test/daemon/scene.ts";
import type { Halyard, Session } from "../contracts/halyard.ts";
import { newSessionId, newTurnId } from "../errors/require-id.ts";
import type { StreamEvent } from "../schema/event.ts";
import { collect, until } from "../testing/halyard/fixture.ts";
import { clusterSubjects } from "./subjects.ts";
import { createNatsFetch } from "./transport/nats-fetch.ts";

test("starts one session and runs one turn if each command is sent several times to several machines", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const id = newSessionId();
  const request = { id, runtime: "fake", cwd: scene.cwd, permissions: "allow-all", on: "one" };
  const posts = await posters(scene);
  const starts = await Promise.all(posts.map((post) => post("/v1/sessions", request)));
  // The second delivery starts no session. A client that lost the first response finds the session by its id.
  expect(starts.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  expect((await client.sessions()).map((info) => info.id)).toEqual([id]);
  const session = await client.session(id);
  await session.ready();
  const message = { id: newTurnId(), input: "sh echo once >> count; sleep 0.2; say done" };
  const path = `/v1/sessions/${id}/turns`;
  const sent = await Promise.all([...posts, ...posts].map((post) => post(path, message)));
  expect(sent.map(({ body }) => body.id)).toEqual(sent.map(() => message.id));
  await untilInfo(client, id, ({ turns, turn }) => turns === 1 && turn === undefined);
  const late = await Promise.all(posts.map((post) => post(path, message))); // after the end of the turn
  expect(late.map(({ body }) => body.id)).toEqual(posts.map(() => message.id));
  await session.stop();
  const again = await Promise.all(posts.map((post) => post(`/v1/sessions/${id}/stop`, {})));
  expect(again.map(({ status }) => status)).toEqual(posts.map(() => 200));
  expect(await readFile(join(scene.cwd, "count"), "utf8")).toBe("once\n");
  await expectWhole(client, id);
});

test("delivers every event to a slow follower, without delaying the turn", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const [client, slow] = [await scene.client(), await scene.client()];
  const session = await start(client, scene);
  const seen: StreamEvent[] = [];
  const slowEvents = slow.events(session.id)[Symbol.asyncIterator]();
  const first = await slowEvents.next();
  if (!first.done) seen.push(first.value);
  const turn = session.send("stream 20000"); // more than the buffers up to the follower can hold
  expect((await turn.outcome).status).toBe("completed");
  const { lastSeq } = (await client.find(session.id)) ?? {};
  expect(lastSeq).toBeGreaterThan(20_000);
  for (let last = 0; last < (lastSeq ?? 0); ) {
    const { value, done } = await slowEvents.next();
    if (done) break;
    seen.push(value);
    last = value.seq;
  }
  await slowEvents.return?.(undefined);
  const log = await collect(client.events(session.id, { follow: false }));
  expect(seen.length).toBe(lastSeq);
  expect(JSON.stringify(seen) === JSON.stringify(log.slice(0, lastSeq))).toBe(true);
});

test("holds an agent's output while the servers have no space, and loses nothing when they have space again", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  const client = await scene.client();
  const session = await start(client, scene);
  const manager = await jetstreamManager(await scene.connect());
  const limit = async (room: number | undefined) => {
    const { config, state } = await manager.streams.info("halyard-main");
    const max_bytes = room === undefined ? -1 : state.bytes + room;
    await manager.streams.update("halyard-main", { ...config, max_bytes });
  };
  const turn = session.send("sh until [ -e go ]; do sleep 0.1; done; stream 3000; say finished");
  await until(turn, "tool_call");
  await limit(20_000);
  await writeFile(join(scene.cwd, "go"), "");
  await untilSaid(scene.homeOf("one"), session.id, "finished"); // the agent finishes without waiting for the log
  const held = await client.find(session.id);
  expect([held?.state, held?.turns]).toEqual(["running", 0]);
  await limit(undefined);
  expect((await turn.outcome).status).toBe("completed");
  const deltas = (await collect(client.events(session.id, { follow: false }))).filter(
    ({ type }) => type === "delta",
  );
  expect(deltas.length).toBeGreaterThanOrEqual(3_000);
  await expectWhole(client, session.id);
});

/** Returns one function per machine. Each function posts a request to its machine, as a client does. */
async function posters(scene: ClusterScene) {
  const connection = await scene.connect();
  const nodes = await scene.nodes();
  return Promise.all(
    nodes.map(async ({ id }) => {
      const send = await createNatsFetch(connection, clusterSubjects("main").all(id));
      return async (path: string, body: unknown) => {
        const headers = { "content-type": "application/json" };
        const options = { method: "POST", headers, body: JSON.stringify(body) };
        const response = await send(new URL(path, "http://localhost"), options);
        return { status: response.status, body: (await response.json()) as { id?: string } };
      };
    }),
  );
}

async function start(client: Halyard, { cwd }: ClusterScene): Promise<Session> {
  const session = await client.start({ runtime: "fake", cwd, permissions: "allow-all", on: "one" });
  await session.ready();
  return session;
}
