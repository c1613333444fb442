import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createConnection,
  startSession,
  takeUp,
  withWriter,
} from "../../test/core/bare-session.ts";
import { MemoryStore } from "../stores/memory.ts";
import { createDeferred } from "./deferred.ts";
import type { Gate } from "./gate.ts";
import { newTurnId } from "./id.ts";

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

test("a message that nobody has let begin yet ends with its session, and never begins", async () => {
  const memory = new MemoryStore();
  const runtime = createRuntime();
  const { promise: admitted, resolve: admit } = createDeferred<void>();
  const gate: Gate = { admit: (_, create) => create(), admitTurn: () => admitted };
  // It may begin at last when all is said and done, but its writer has yet to give up the right to write.
  const store = withWriter(memory, (writer) => ({
    append: (block) => writer.append(block),
    async release() {
      admit();
      await setImmediate();
      await writer.release();
    },
  }));
  const { session } = await startSession(runtime.connection, store, {}, gate);
  await session.ready();
  const turn = session.send("x");
  await session.stop();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  expect(runtime.given).toEqual([]);
  const events = await memory.read(session.id, { after: 0, limit: 100 });
  const said = events.map((event) => (event.type === "system" ? event.subtype : event.type));
  expect(said.slice(2)).toEqual(["completion", "session_stopped"]);
});

test("a turn keeps its own limit and its age, whoever runs it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = new MemoryStore();
  const started = await startSession(createRuntime().connection, store);
  await started.session.ready();
  const turn = started.session.send("x", { timeoutMs: 50_000 });
  await turn.accepted;
  vi.setSystemTime(Date.now() + 60_000);

  const next = createRuntime();
  next.connection.cancel = async () => next.complete();
  const session = await takeUp(started, next.connection, store);
  const outcome = await session.send("x", { id: turn.id }).outcome;
  expect(outcome).toMatchObject({ status: "failed", error: { phase: "turn" } });
  expect(outcome.durationMs).toBeGreaterThanOrEqual(60_000);
  await session.stop();
});

test("a session whose runtime waits for an answer is waiting, whoever runs it", async () => {
  const store = new MemoryStore();
  const runtime = createRuntime();
  const started = await startSession(runtime.connection, store, { permissions: "ask" });
  await started.session.ready();
  const turn = started.session.send("x");
  await turn.accepted;
  const request = { nativeId: "1", kind: "permission" as const, text: "May I?", options: [] };
  runtime.output.push({ drafts: [{ type: "request", ...request }] });
  await expect.poll(() => started.session.info.state).toBe("waiting");

  const session = await takeUp(started, createRuntime().connection, store);
  expect(session.info).toMatchObject({ state: "waiting", openRequests: [{ nativeId: "1" }] });
  await session.stop();
});
