import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createConnection, startSession, withWriter } from "../../test/session/bare-session.ts";
import type { Connection } from "../contracts/adapter.ts";
import type { Session } from "../contracts/halyard.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { Store } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { newRequestId } from "../errors/require-id.ts";
import { MemoryStore } from "../stores/memory.ts";
import { collect } from "../testing/halyard/fixture.ts";

/** Returns a store that delays writes, so that two attempts to end a turn can overlap. */
function slow(store: Store): Store {
  return withWriter(store, (writer) => ({
    async append(block) {
      await sleep(5);
      await writer.append(block);
    },
    release: () => writer.release(),
  }));
}

/** Returns a store that accepts the given number of blocks and rejects all later ones. */
function breaking(store: Store, blocks: number): Store {
  let left = blocks;
  return withWriter(store, (writer) => ({
    async append(block) {
      if (left-- <= 0) throw new HalyardError("store_failed", "the disk is broken");
      await writer.append(block);
    },
    release: () => writer.release(),
  }));
}

/** Returns a store whose writer cannot be released. */
function stuck(store: Store): Store {
  return withWriter(store, (writer) => ({
    append: (block) => writer.append(block),
    async release() {
      throw new HalyardError("store_full", "the disk is full");
    },
  }));
}

async function typesOf(session: Session, options?: FollowOptions): Promise<string[]> {
  const events = await collect(session.events(options));
  return events.map((event) => (event.type === "system" ? event.subtype : event.type));
}

test("ends a turn once if both the delivery and the runtime fail", async () => {
  const { connection, output } = createConnection({
    async send() {
      output.end(new HalyardError("agent_exited", "it died"));
      throw new Error("broken pipe");
    },
  });
  await using started = await startSession(connection, slow(new MemoryStore()));
  const { session } = started;
  await session.ready();
  const turn = session.send("x");
  expect(await turn.accepted).toMatchObject({ status: "failed" });
  expect(await turn.outcome).toMatchObject({ status: "failed" });
  await session.stop();
  expect((await typesOf(session)).filter((type) => type === "completion")).toHaveLength(1);
});

test("ends a turn once if it completes while it is being cancelled", async () => {
  const { connection, complete } = createConnection({
    async cancel() {
      complete();
    },
  });
  await using started = await startSession(connection, slow(new MemoryStore()));
  const { session } = started;
  const turn = session.send("x");
  await turn.accepted;
  complete();
  await Promise.all([turn.cancel("a"), turn.cancel("b"), session.stop("c")]);
  const { status } = await turn.outcome;
  expect(["completed", "cancelled"]).toContain(status);
  expect((await typesOf(session)).filter((type) => type === "completion")).toHaveLength(1);
});

test("does not send a turn's message if the turn is cancelled before delivery", async () => {
  const sent: string[] = [];
  const { connection } = createConnection({
    async send({ text }) {
      sent.push(text);
      return { status: "confirmed" };
    },
  });
  await using started = await startSession(connection, slow(new MemoryStore()));
  const { session } = started;
  await session.ready();
  const turn = session.send("never");
  await turn.cancel();
  expect((await turn.outcome).status).toBe("cancelled");
  expect(sent).toEqual([]);
});

test("writes a message before the runtime receives it, and the completion before the outcome resolves", async () => {
  const store = new MemoryStore();
  const seen: string[] = [];
  const { connection, complete } = createConnection({
    async send({ turnId }) {
      for (const event of await store.read(session.id, { after: 0, limit: 100 })) {
        if (event.turnId === turnId && event.type === "system") seen.push(event.subtype);
      }
      complete();
      return { status: "confirmed" };
    },
  });
  await using started = await startSession(connection, slow(store));
  const { session } = started;
  await session.ready();
  await session.send("x").outcome;
  expect(seen).toEqual(["turn_started"]);
  const events = await store.read(session.id, { after: 0, limit: 100 });
  expect(events.at(-1)?.type).toBe("completion");
});

test("fails the session if its log cannot be written, and keeps the events written before the failure", async () => {
  const store = new MemoryStore();
  const { connection, output } = createConnection();
  await using started = await startSession(connection, breaking(store, 2));
  const { session } = started;
  const turn = session.send("x");
  await turn.accepted;
  output.push({ drafts: [{ type: "error", code: "internal", message: "m", retryable: false }] });
  expect(await turn.outcome).toMatchObject({ status: "failed", error: { code: "store_failed" } });
  expect(await session.send("y").outcome).toMatchObject({ error: { code: "session_stopped" } });
  expect((await store.read(session.id, { after: 0, limit: 100 })).length).toBeGreaterThan(0);
});

test("ends a session whose writer cannot be released, without an unhandled rejection", async () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  const { connection, output } = createConnection();
  await using started = await startSession(connection, stuck(new MemoryStore()));
  const { session } = started;
  const turn = session.send("x");
  await turn.accepted;
  output.end(new HalyardError("agent_exited", "it died"));
  expect(await turn.outcome).toMatchObject({ error: { code: "agent_exited" } });
  await session.stop();
  await sleep(5);
  process.off("unhandledRejection", onRejection);
  expect(rejections).toEqual([]);
});

test("fails the turn and the session if the runtime never accepts the message", async () => {
  const { connection } = createConnection({ send: () => new Promise(() => {}) });
  const limits = { firstOutputMs: 50, cancelMs: 50 };
  await using started = await startSession(connection, new MemoryStore(), { limits });
  const { session } = started;
  expect(await session.send("x").outcome).toMatchObject({
    status: "failed",
    error: { code: "timed_out", phase: "first_output" },
  });
  await session.stop(); // the stop is already in progress
  expect(session.info.state).toBe("failed");
});

test("applies concurrent changes one at a time, even after a rejected change", async () => {
  const calls: string[] = [];
  const { connection } = createConnection({
    async configure({ model = "" }) {
      calls.push(`begin ${model}`);
      await sleep(model === "slow" ? 20 : 0);
      calls.push(`end ${model}`);
      if (model === "bad") throw new HalyardError("unsupported", "no such model");
    },
  });
  await using started = await startSession(connection);
  const { halyard, session } = started;
  const models = ["slow", "bad", "quick"];
  const changes = models.map((model) => halyard.update(session.id, { model }));
  await Promise.allSettled(changes);
  expect(calls).toEqual(models.flatMap((model) => [`begin ${model}`, `end ${model}`]));
  await expect(changes[1]).rejects.toMatchObject({ code: "unsupported" });
  expect(session.info.model).toEqual({ id: "quick" });
});

test("logs a warning and ends the session and its turn if the runtime cannot be stopped", async () => {
  const { connection } = createConnection({
    async [Symbol.asyncDispose]() {
      throw new Error("no one can answer");
    },
  });
  const { session } = await startSession(connection);
  await session.ready();
  const turn = session.send("x");
  await turn.accepted;
  await session.stop("enough");
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  expect(await typesOf(session)).toEqual([
    "session_started",
    "session_ready",
    "turn_started",
    "message",
    "completion",
    "warning",
    "session_stopped",
  ]);
  expect(session.info).toMatchObject({ state: "stopped", reason: "enough" });
});

test("returns a failed turn for an invalid text, id or delivery instead of throwing", async () => {
  const { connection } = createConnection();
  await using started = await startSession(connection);
  const send = (text: unknown, options = {}) => started.session.send(text as string, options);
  for (const [turn, field] of [
    [send(undefined), "message"],
    [send("x", { id: "foo" }), "id"],
    [send("x", { delivery: "shout" }), "delivery"],
  ] as const) {
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "invalid_input", message: expect.stringContaining(field) },
    });
  }
});

test("redacts a key in a name or a label", async () => {
  const { connection } = createConnection();
  const key = "sk-nobody-reads-this";
  const env = { SERVICE_API_KEY: key };
  const named = { name: `fix ${key}`, labels: { b: key } };
  await using started = await startSession(connection, new MemoryStore(), { env, ...named });
  await started.session.ready();
  expect(started.session.info).toMatchObject({
    name: "fix [redacted]",
    labels: { b: "[redacted]" },
  });
  const { labels } = await started.halyard.update(started.session.id, { labels: { a: key } });
  expect(labels).toEqual({ a: "[redacted]" });
});

test("keeps the state `starting` if a queued turn is cancelled before the runtime is ready", async () => {
  const { connection } = createConnection({ ready: () => new Promise(() => {}) });
  await using started = await startSession(connection);
  const { session } = started;
  const turn = session.send("x");
  await turn.accepted;
  await turn.cancel();
  expect(session.info).toMatchObject({ state: "starting", queue: [] });
});

test("resolves ready() and rejects ping() after the session has ended", async () => {
  const { connection } = createConnection({ ping: async () => {} });
  await using started = await startSession(connection);
  const { session } = started;
  await session.ready();
  await session.ping();
  await session.stop();
  await session.ready();
  await expect(session.ping()).rejects.toMatchObject({ code: "session_stopped" });
});

/** Starts a session with a running turn whose runtime waits for an answer. */
async function startAsking(overrides: Partial<Connection> = {}) {
  const bare = createConnection(overrides);
  const started = await startSession(bare.connection);
  const { session } = started;
  await session.ready();
  const turn = session.send("x");
  await turn.accepted;
  const asked = { nativeId: "1", kind: "permission" as const, text: "May I?", options: [] };
  bare.output.push({ drafts: [{ type: "request", ...asked }] });
  await expect.poll(() => session.info.openRequests).toHaveLength(1);
  const requestId = session.info.openRequests[0]?.requestId ?? newRequestId();
  return { ...bare, ...started, turn, requestId };
}

test("logs a warning and continues when the runtime no longer waits for an answer", async () => {
  const gone = new HalyardError("request_not_found", "unknown request");
  const answer = () => Promise.reject(gone);
  await using asking = await startAsking({ answer });
  const { session, turn, requestId, complete } = asking;
  await session.answer(requestId, { decision: "allow" });
  await expect.poll(() => typesOf(session, { follow: false })).toContain("warning");
  complete();
  expect(await turn.outcome).toMatchObject({ status: "completed" });
});

test("records one response for a request that the runtime settled itself, and rejects later answers", async () => {
  await using asking = await startAsking();
  const { session, turn, requestId, output, complete } = asking;
  for (const nativeId of ["1", "1", "2"])
    output.push({ drafts: [{ type: "settled", nativeId, decision: "deny" }] });
  complete();
  expect(await turn.outcome).toMatchObject({ status: "completed" });
  const responses = (await collect(turn)).filter(({ type }) => type === "response");
  expect(responses).toMatchObject([{ decision: "deny", by: "runtime" }]);
  const answer = session.answer(requestId, { decision: "allow" });
  await expect(answer).rejects.toMatchObject({ code: "request_not_found" });
});
