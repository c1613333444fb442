import { expect, test } from "vitest";
import type { EventBody, StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import { sampleSession } from "../testing/sample-session.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { HookCursors } from "./cursors.ts";
import { HookDispatcher } from "./dispatcher.ts";
import type { HookSink } from "./sinks/sink.ts";

const info = sampleSession();

const saying = (seq: number, text: string): StreamEvent => {
  const body: EventBody = {
    type: "message",
    role: "assistant",
    channel: "text",
    messageId: "m",
    text,
  };
  return { seq, at: "2026-01-01T00:00:00.000Z", sessionId: info.id, runtime: "pi", ...body };
};

test("limits how long disposal waits for deliveries, and reports the payloads that were not delivered", async () => {
  let calls = 0;
  const hanging: HookSink = {
    name: "hanging",
    deliver: (_, { signal }) =>
      new Promise((_, reject) => {
        calls++;
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const dispatcher = new HookDispatcher(async () => [hanging], { onProblem, drainMs: 20 });
  const listen = dispatcher.attend(info);
  listen([saying(1, "a"), saying(2, "b")], info);
  listen([saying(3, "c")], info);
  await dispatcher[Symbol.asyncDispose]();
  expect(calls).toBe(1);
  expect(problems).toEqual([
    `Hook hanging did not receive OnMessage of ${info.id}: Halyard was closed before the delivery finished`,
    "Hook hanging did not receive 2 more events",
  ]);
});

test("keeps the order of events that arrive while the hooks are being read, and delivers them before disposal ends", async () => {
  const received: unknown[] = [];
  const sink: HookSink = {
    name: "memory",
    deliver: async ({ data }) => void received.push(data.message),
  };
  let found = (_: HookSink[]) => {};
  const looking = new Promise<HookSink[]>((resolve) => {
    found = resolve;
  });
  const dispatcher = new HookDispatcher(() => looking, { onProblem: () => {} });
  const listen = dispatcher.attend(info);
  listen([saying(1, "a")], info);
  listen([saying(2, "b")], info);
  const disposing = dispatcher[Symbol.asyncDispose]();
  found([sink]);
  await disposing;
  expect(received).toEqual(["a", "b"]);
});

test("reports unreadable hooks once and delivers the events of other sessions", async () => {
  const received: string[] = [];
  const problems: string[] = [];
  const sink: HookSink = {
    name: "memory",
    deliver: async ({ session_id }) => void received.push(session_id),
  };
  const other = sampleSession();
  const sinksOf = async ({ id }: SessionInfo) => {
    if (id === info.id) throw new Error("the file is broken");
    return [sink];
  };
  const dispatcher = new HookDispatcher(sinksOf, {
    onProblem: (problem) => void problems.push(problem),
  });
  const listen = dispatcher.attend(info);
  listen([saying(1, "a")], info);
  listen([saying(2, "b")], info);
  dispatcher.attend(other)([saying(1, "a")], other);
  await dispatcher[Symbol.asyncDispose]();
  expect(received).toEqual([other.id]);
  expect(problems).toEqual([`No hook receives the events of ${info.id}: the file is broken`]);
});

test("keeps the cursor of a session whose missed events cannot be read, so that the next process delivers them", async () => {
  const received: unknown[] = [];
  const sink: HookSink = {
    name: "durable",
    id: "durable",
    deliver: async ({ data }) => void received.push(data.message),
  };
  const directory = await temporaryDirectory();
  const isAlive = async (owner: string) => owner === "alive";
  const session = { ...info, lastSeq: 2 };
  const run = async (owner: string, read: () => Promise<StreamEvent[]>, seq: number) => {
    const cursors = new HookCursors(directory, { owner, isAlive });
    const onProblem = () => {};
    await using dispatcher = new HookDispatcher(async () => [sink], { onProblem, cursors, read });
    dispatcher.attend({ ...session, lastSeq: seq - 1 })([saying(seq, `m${seq}`)], session);
  };
  new HookCursors(directory, { owner: "first", isAlive }).open(info.id, 0);
  await run("second", () => Promise.reject(new Error("the disk is gone")), 3);
  expect(received).toEqual(["m3"]);
  await run("third", async () => [1, 2, 3].map((seq) => saying(seq, `m${seq}`)), 4);
  expect(received).toEqual(["m3", "m1", "m2", "m3", "m4"]);
});
