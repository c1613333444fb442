import { expect, test } from "vitest";
import type { StreamEvent, SystemEvent } from "../schema/event.ts";
import { Narrator } from "./narrator.ts";
import { retell } from "./retell.ts";
import type { Telling } from "./telling.ts";

const envelope = {
  seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  sessionId: "ses_0000000000000000",
  turnId: "trn_0000000000000000",
  runtime: "fake",
} as const;

function tell(event: Omit<SystemEvent, "type">): Telling[] {
  const whole: StreamEvent = { ...envelope, type: "system", ...event };
  return new Narrator("/work").tell(whole);
}

test.each([
  [{ steps: [{ step: "look", status: "completed" }] }, [["look", "completed", "medium"]]],
  [{ steps: [{ step: "leap", status: "inProgress" }] }, [["leap", "in_progress", "medium"]]],
  [{ todos: [{ content: "x", status: "pending", priority: "high" }] }, [["x", "pending", "high"]]],
  [{ todos: [{ content: "x", status: "cancelled" }] }, [["x", "cancelled", "medium"]]],
])("a plan is a list of steps: %j", (data, expected) => {
  const [plan] = tell({ subtype: "plan", data });
  if (plan?.type !== "plan") throw new Error("it is no plan");
  expect(plan.steps.map(({ content, status, priority }) => [content, status, priority])).toEqual(
    expected,
  );
});

test("a plan in words is said", () => {
  expect(tell({ subtype: "plan", text: "1. do it" })).toMatchObject([
    { type: "words", by: "agent", text: "1. do it" },
  ]);
});

test("how full the model's memory is is told where the runtime tells it", () => {
  const cost = { amount: 0.5, currency: "USD" };
  expect(tell({ subtype: "usage", data: { contextUsed: 5, contextSize: 10, cost } })).toEqual([
    { type: "usage", usage: { used: 5, size: 10, cost } },
  ]);
  expect(tell({ subtype: "usage", data: { tokens: 5 } })).toEqual([]);
});

test("a warning is a notice, and what is of no use to an editor is left out", () => {
  expect(tell({ subtype: "warning", text: "mind the gap" })).toEqual([
    { type: "notice", isOurs: false, text: "mind the gap" },
  ]);
  expect(tell({ subtype: "raw", data: { message: 1 } })).toEqual([]);
});

const message = { channel: "text", messageId: "m1" } as const;
const outcome = {
  status: "cancelled",
  text: "",
  stopReason: "cancelled",
  usage: { inputTokens: 0, outputTokens: 0 },
  durationMs: 0,
} as const;

/** A turn that waits ends while another is in the middle of a message and of a tool call. */
const interleaved: readonly StreamEvent[] = [
  { ...envelope, type: "delta", ...message, text: "one " },
  {
    ...envelope,
    type: "tool_call",
    callId: "c1",
    name: "write",
    kind: "edit",
    input: { file: "a.txt", content: "x" },
  },
  { ...envelope, type: "completion", turnId: "trn_0000000000000001", outcome },
  { ...envelope, type: "delta", ...message, text: "two" },
  { ...envelope, type: "message", role: "assistant", ...message, text: "one two" },
  { ...envelope, type: "tool_result", callId: "c1", output: "", isError: false },
];

test("the end of a turn that waited leaves what the one under way has told", () => {
  const narrator = new Narrator("/work");
  const told = interleaved.flatMap((event) => narrator.tell(event));
  expect(told.map((telling) => (telling.type === "words" ? telling.text : telling.type))).toEqual([
    "one ",
    "tool",
    "two",
    "result",
  ]);
  const edits = [{ path: "/work/a.txt", operation: "add", before: "", after: "x" }];
  expect(told.at(-1)).toMatchObject({ type: "result", edits });
});

test("what is told again is whole, also where a turn that waited ended in the middle of it", async () => {
  const events = async function* () {
    yield* interleaved;
  };
  const said: string[] = [];
  for await (const telling of retell(events(), new Narrator("/work")))
    if (telling.type === "words") said.push(telling.text);
  expect(said).toEqual(["one two"]);
});
