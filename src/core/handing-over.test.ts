import { expect, test } from "vitest";
import {
  createConnection,
  startSession,
  takeUp,
  withWriter,
} from "../../test/core/bare-session.ts";
import { MemoryStore } from "../stores/memory.ts";
import { createDeferred } from "./deferred.ts";
import { newTurnId } from "./id.ts";
import type { Block, Store } from "./store.ts";

/** A runtime that takes every message, and what it was given by whomever. */
function createRuntime() {
  const given: string[] = [];
  const bare = createConnection({
    async send({ text }) {
      given.push(text);
      return { status: "confirmed" };
    },
    async steer({ text }) {
      given.push(`steer ${text}`);
      return { status: "confirmed" };
    },
  });
  return { ...bare, given };
}

/** The store of a process that dies when it is about to write the first block that is so. */
function dyingAt(store: Store, isMoment: (block: Block) => boolean) {
  const { promise: dead, resolve } = createDeferred<void>();
  let isDead = false;
  const dying = withWriter(store, (writer) => ({
    async append(block) {
      if (!isDead && isMoment(block)) {
        isDead = true;
        resolve();
      }
      if (isDead) await new Promise(() => {});
      await writer.append(block);
    },
    release: () => writer.release(),
  }));
  return { dying, dead };
}

const isBeingGiven = ({ unsent }: Block) => unsent === null;

test("a message that was on record and not given to the runtime yet is given by whoever comes next, once", async () => {
  const store = new MemoryStore();
  const runtime = createRuntime();
  const { dying, dead } = dyingAt(store, isBeingGiven);
  const started = await startSession(runtime.connection, dying);
  const id = newTurnId();
  started.session.send("x", { id });
  await dead;
  expect(runtime.given).toEqual([]);

  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  const turn = session.send("x", { id });
  expect(await turn.accepted).toEqual({ status: "confirmed" });
  next.complete();
  expect(await turn.outcome).toMatchObject({ status: "completed" });
  expect(next.given).toEqual(["x"]);
  const events = await store.read(session.id, { after: 0, limit: 100 });
  const said = events.map((event) => (event.type === "system" ? event.subtype : event.type));
  expect(said.filter((type) => type === "turn_started")).toHaveLength(1);
  await session.stop();
});

test("words for a turn that whoever comes next has yet to give go to that turn, after it", async () => {
  const store = new MemoryStore();
  const { dying, dead } = dyingAt(store, isBeingGiven);
  const started = await startSession(createRuntime().connection, dying);
  started.session.send("x");
  await dead;

  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  const steering = session.send("y", { delivery: "steer" });
  expect(await steering.accepted).toEqual({ status: "confirmed" });
  expect(next.given).toEqual(["x", "steer y"]);
  await session.stop();
});

test("a message that may have been given is not given again", async () => {
  const store = new MemoryStore();
  const { promise: given, resolve } = createDeferred<void>();
  const { connection } = createConnection({
    send: async () => {
      resolve();
      return new Promise(() => {});
    },
  });
  const started = await startSession(connection, store, { limits: { firstOutputMs: 20 } });
  started.session.send("x");
  await given;

  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  expect(session.info.turn).toBeDefined();
  const { id = newTurnId() } = session.info.turn ?? {};
  next.connection.cancel = async () => next.complete();
  expect(await session.send("", { id }).outcome).toMatchObject({
    error: { code: "timed_out", phase: "first_output" },
  });
  expect(next.given).toEqual([]);
  await session.stop();
});

test("words for a turn that were on record and not given yet are given by whoever comes next, once", async () => {
  const store = new MemoryStore();
  const runtime = createRuntime();
  const id = newTurnId();
  let isSteering = false;
  const { dying, dead } = dyingAt(store, (block) => isSteering && isBeingGiven(block));
  const started = await startSession(runtime.connection, dying);
  await started.session.ready();
  const turn = started.session.send("x");
  await turn.accepted;
  isSteering = true;
  started.session.send("y", { delivery: "steer", id });
  await dead;
  expect(runtime.given).toEqual(["x"]);

  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  const again = session.send("y", { delivery: "steer", id });
  expect(again.id).toBe(turn.id);
  expect(await again.accepted).toEqual({ status: "confirmed" });
  expect(next.given).toEqual(["steer y"]);
  await session.stop();
});

test("words that may have been given are not given again, by the same process or the next", async () => {
  const store = new MemoryStore();
  const runtime = createRuntime();
  const id = newTurnId();
  const started = await startSession(runtime.connection, store);
  await started.session.ready();
  const turn = started.session.send("x");
  await turn.accepted;
  for (let time = 0; time < 3; time++)
    await started.session.send("y", { delivery: "steer", id }).accepted;
  expect(runtime.given).toEqual(["x", "steer y"]);

  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  const again = session.send("y", { delivery: "steer", id });
  expect(await again.accepted).toEqual({ status: "submitted" });
  next.complete();
  expect(await again.outcome).toMatchObject({ status: "completed" });
  expect(session.send("y", { delivery: "steer", id }).id).toBe(turn.id);
  expect(next.given).toEqual([]);
  await session.stop();
});
