import { expect, test } from "vitest";
import type { EventBody, StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import { sampleSession } from "../testing/sample-session.ts";
import type { HookSink } from "./sink.ts";
import { Teller } from "./teller.ts";

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

test("disposing waits only so long, and says what was not told", async () => {
  let asked = 0;
  const hanging: HookSink = {
    name: "hanging",
    deliver: (_, { signal }) =>
      new Promise((_, reject) => {
        asked++;
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const teller = new Teller(async () => [hanging], { onProblem, drainMs: 20 });
  const listen = teller.attend(info);
  listen([saying(1, "a"), saying(2, "b")], info);
  listen([saying(3, "c")], info);
  await teller[Symbol.asyncDispose]();
  expect(asked).toBe(1);
  expect(problems).toEqual([
    `hook hanging was not told of OnMessage in ${info.id}: there was no more time for it`,
    "hook hanging was not told of 2 things",
  ]);
});

test("what is heard while its hooks are looked for is told in order, and awaited by disposing", async () => {
  const told: unknown[] = [];
  const sink: HookSink = {
    name: "memory",
    deliver: async ({ data }) => void told.push(data.message),
  };
  let found = (_: HookSink[]) => {};
  const looking = new Promise<HookSink[]>((resolve) => {
    found = resolve;
  });
  const teller = new Teller(() => looking, { onProblem: () => {} });
  const listen = teller.attend(info);
  listen([saying(1, "a")], info);
  listen([saying(2, "b")], info);
  const disposing = teller[Symbol.asyncDispose]();
  found([sink]);
  await disposing;
  expect(told).toEqual(["a", "b"]);
});

test("hooks that cannot be found are complained of once, and other sessions are told of", async () => {
  const told: string[] = [];
  const problems: string[] = [];
  const sink: HookSink = {
    name: "memory",
    deliver: async ({ session_id }) => void told.push(session_id),
  };
  const other = sampleSession();
  const sinksOf = async ({ id }: SessionInfo) => {
    if (id === info.id) throw new Error("the file is broken");
    return [sink];
  };
  const teller = new Teller(sinksOf, { onProblem: (problem) => void problems.push(problem) });
  const listen = teller.attend(info);
  listen([saying(1, "a")], info);
  listen([saying(2, "b")], info);
  teller.attend(other)([saying(1, "a")], other);
  await teller[Symbol.asyncDispose]();
  expect(told).toEqual([other.id]);
  expect(problems).toEqual([`hooks are not told of ${info.id}: the file is broken`]);
});
