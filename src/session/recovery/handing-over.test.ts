import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createConnection,
  startSession,
  takeUp,
  withWriter,
} from "../../../test/session/bare-session.ts";
import { createDeferred } from "../../async/deferred.ts";
import type { Gate } from "../../contracts/gate.ts";
import { newTurnId } from "../../errors/require-id.ts";
import { MemoryStore } from "../../stores/memory.ts";

/** Creates a runtime that accepts and records every message. */
function createRuntime() {
  const received: string[] = [];
  const bare = createConnection({
    async send({ text }) {
      received.push(text);
      return { status: "confirmed" };
    },
    async steer({ text }) {
      received.push(`steer ${text}`);
      return { status: "confirmed" };
    },
  });
  return { ...bare, received };
}

test("does not resend a message that the runtime may have received when another process takes over", async () => {
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
  expect(next.received).toEqual([]);
  await session.stop();
});

test("does not steer twice with the same id, in the same process or in the next", async () => {
  const store = new MemoryStore();
  const runtime = createRuntime();
  const id = newTurnId();
  const started = await startSession(runtime.connection, store);
  await started.session.ready();
  const turn = started.session.send("x");
  await turn.accepted;
  for (let time = 0; time < 3; time++)
    await started.session.send("y", { delivery: "steer", id }).accepted;
  expect(runtime.received).toEqual(["x", "steer y"]);

  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  const again = session.send("y", { delivery: "steer", id });
  expect(await again.accepted).toEqual({ status: "submitted" });
  next.complete();
  expect(await again.outcome).toMatchObject({ status: "completed" });
  expect(session.send("y", { delivery: "steer", id }).id).toBe(turn.id);
  expect(next.received).toEqual([]);
  await session.stop();
});

test("ends a turn that was not admitted yet when its session stops, and never starts it", async () => {
  const memory = new MemoryStore();
  const runtime = createRuntime();
  const { promise: admitted, resolve: admit } = createDeferred<void>();
  const gate: Gate = { admit: (_, create) => create(), admitTurn: () => admitted };
  // Admits the turn between the end of the session and the release of its writer.
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
  expect(runtime.received).toEqual([]);
  const events = await memory.read(session.id, { after: 0, limit: 100 });
  const types = events.map((event) => (event.type === "system" ? event.subtype : event.type));
  expect(types.slice(2)).toEqual(["completion", "session_stopped"]);
});

test("keeps a turn's time limit and start time when another process takes over", async () => {
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

test("keeps a request open and the session `waiting` when another process takes over", async () => {
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
