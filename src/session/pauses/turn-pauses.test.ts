import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createConnection, startSession, takeUp } from "../../../test/session/bare-session.ts";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { errorInfo } from "../../errors/error.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { eventually } from "../../testing/eventually.ts";

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["Date", "setTimeout", "clearTimeout"],
    now: new Date("2026-11-17T12:00:00Z"),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

/** Creates a resumable runtime that records the messages that it receives. */
function createRuntime() {
  const received: string[] = [];
  const bare = createConnection({
    ready: async () => ({ runtimeSessionId: "native-1", resumable: true }),
    async send({ text }) {
      received.push(text);
      return { status: "confirmed" };
    },
  });
  const say = (...drafts: EventDraft[]) => bare.output.push({ drafts });
  return { ...bare, received, say };
}

const usage = { inputTokens: 10, outputTokens: 1 };
const limited: EventDraft = {
  type: "completion",
  status: "failed",
  usage,
  error: errorInfo("agent_failed", "429 Rate limit reached. Please try again in 1h."),
};

async function startWaiting(store = new MemoryStore()) {
  const runtime = createRuntime();
  const started = await startSession(runtime.connection, store, { onLimit: "wait" });
  await started.session.ready();
  const turn = started.session.send("x");
  await turn.accepted;
  runtime.say(limited);
  await eventually(() => expect(started.session.info.waiting).toBeDefined());
  return { ...started, store, runtime, turn };
}

test("adds up the usage of all native turns if a turn waits for a limit and continues", async () => {
  const { runtime, turn, session } = await startWaiting();
  expect(runtime.received).toEqual(["x"]);
  expect(session.info.waiting).toMatchObject({
    resetsAt: expect.stringContaining("2026-11-17T13:00:00"),
  });
  await vi.advanceTimersByTimeAsync(HOUR_MS + 60_000);
  expect(runtime.received).toEqual(["x", "x"]);
  runtime.say(
    { type: "system", subtype: "usage", data: { usage } },
    { type: "completion", status: "completed", usage: { inputTokens: 20, outputTokens: 2 } },
  );
  expect(await turn.outcome).toMatchObject({
    status: "completed",
    usage: { inputTokens: 30, outputTokens: 3 },
  });
  expect(session.info).toMatchObject({ usage: { inputTokens: 30, outputTokens: 3 }, turns: 1 });
  await session.stop();
});

test("waits up to 1, 2 and 4 minutes if the vendor reports no reset time", async () => {
  const { runtime, session } = await startWaiting();
  const blind: EventDraft = { ...limited, error: errorInfo("rate_limited", "Too many requests") };
  const waits: number[] = [];
  await vi.advanceTimersByTimeAsync(HOUR_MS + 60_000);
  for (let attempt = 1; attempt <= 3; attempt++) {
    runtime.say(blind);
    await eventually(() => expect(session.info.waiting?.attempt).toBe(attempt));
    const until = Date.parse(session.info.waiting?.until ?? "");
    waits.push(until - Date.now());
    await vi.advanceTimersByTimeAsync(until - Date.now());
  }
  expect(runtime.received).toEqual(["x", "x", "x", "x", "x"]);
  for (const [index, longestMs] of [60_000, 120_000, 240_000].entries()) {
    expect(waits[index]).toBeGreaterThan(longestMs / 2 - 1);
    expect(waits[index]).toBeLessThanOrEqual(longestMs + 1000);
  }
  await session.stop();
});

test("interrupts a runtime that would wait longer than `retryMs`, and fails the turn with the reset time", async () => {
  const runtime = createRuntime();
  const { session } = await startSession(runtime.connection);
  await session.ready();
  const turn = session.send("x");
  await turn.accepted;
  const limit = (retryAfterMs: number): EventDraft => ({
    type: "system",
    subtype: "limit",
    data: { status: "reached", retryAfterMs },
  });
  let cancels = 0;
  runtime.connection.cancel = async () => {
    cancels++;
    runtime.say({ type: "completion", status: "cancelled" });
  };
  runtime.say(limit(30_000));
  await eventually(() => expect(session.info.limit?.retryAt).toMatch("2026-11-17T12:00:30"));
  expect(cancels).toBe(0);
  runtime.say(limit(HOUR_MS));
  expect(await turn.outcome).toMatchObject({
    status: "failed",
    error: { code: "rate_limited", resetsAt: expect.stringContaining("2026-11-17T13:00:00") },
  });
  expect(cancels).toBe(1);
  await session.stop();
});

test.each([
  ["the runtime still runs", true],
  ["the machine restarted", false],
])("keeps waiting after the owner was killed, if %s", async (_, isRunning) => {
  const { runtime, store, ...started } = await startWaiting();
  const { waiting } = started.session.info;
  if (!isRunning) await rm(join(started.directory, "run"), { recursive: true });
  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  expect(session.opened).toBe(isRunning ? "attached" : "resumed");
  expect(session.info).toMatchObject({ state: "waiting", waiting });
  await vi.advanceTimersByTimeAsync(HOUR_MS + 60_000);
  expect(next.received).toEqual(["x"]);
  next.say({ type: "completion", status: "completed", usage });
  const { id = "" } = started.turn;
  const outcome = await session.send("", { id }).outcome;
  expect(outcome).toMatchObject({ status: "completed", usage: { inputTokens: 20 } });
  expect(session.info).toMatchObject({ turns: 1, usage: { inputTokens: 20, outputTokens: 2 } });
  await session.stop();
  expect(runtime.received).toEqual(["x"]);
});

test("counts usage only once if it was reported before the owner was killed", async () => {
  const store = new MemoryStore();
  const runtime = createRuntime();
  const started = await startSession(runtime.connection, store);
  await started.session.ready();
  const turn = started.session.send("x");
  await turn.accepted;
  runtime.say({ type: "system", subtype: "usage", data: { usage } });
  await eventually(() => expect(started.session.info.turnUsage).toEqual(usage));
  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  next.say(
    { type: "system", subtype: "usage", data: { usage: { inputTokens: 15, outputTokens: 2 } } },
    { type: "completion", status: "completed", usage: { inputTokens: 25, outputTokens: 3 } },
  );
  const outcome = await session.send("", { id: turn.id }).outcome;
  expect(outcome.usage).toEqual({ inputTokens: 25, outputTokens: 3 });
  expect(session.info.usage).toEqual({ inputTokens: 25, outputTokens: 3 });
  await session.stop();
});

test("keeps a budget request open after the owner is killed, and continues the turn when the request is allowed", async () => {
  const store = new MemoryStore();
  const runtime = createRuntime();
  runtime.connection.cancel = async () => runtime.say({ type: "completion", status: "cancelled" });
  const started = await startSession(runtime.connection, store, { budget: { tokens: 10 } });
  await started.session.ready();
  const turn = started.session.send("x");
  await turn.accepted;
  runtime.say({ type: "system", subtype: "usage", data: { usage } });
  await eventually(() => expect(started.session.info.openRequests).toHaveLength(1));
  await rm(join(started.directory, "run"), { recursive: true });
  const next = createRuntime();
  const session = await takeUp(started, next.connection, store);
  const [request] = session.info.openRequests;
  expect(request).toMatchObject({ kind: "budget", budget: { used: 11, limit: 10 } });
  expect(session.info).toMatchObject({ state: "waiting", waiting: { reason: "budget" } });
  await session.answer(request?.requestId ?? "", { decision: "allow" });
  await eventually(() => expect(next.received).toEqual(["x"]));
  next.say({ type: "completion", status: "completed", usage: { inputTokens: 5, outputTokens: 0 } });
  const outcome = await session.send("", { id: turn.id }).outcome;
  expect(outcome.usage).toEqual({ inputTokens: 15, outputTokens: 1 }); // no token is counted twice
  expect(session.info.usage).toEqual({ inputTokens: 15, outputTokens: 1 });
  await session.stop();
});
