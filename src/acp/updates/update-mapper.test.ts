import { expect, test } from "vitest";
import type { StreamEvent, SystemEvent } from "../../schema/event.ts";
import type { AgentUpdate } from "./agent-update.ts";
import { replayUpdates } from "./replay-session.ts";
import { UpdateMapper } from "./update-mapper.ts";

const envelope = {
  seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  sessionId: "ses_0000000000000000",
  turnId: "trn_0000000000000000",
  runtime: "fake",
} as const;

function updatesOf(event: Omit<SystemEvent, "type">): AgentUpdate[] {
  const fullEvent: StreamEvent = { ...envelope, type: "system", ...event };
  return new UpdateMapper("/work").map(fullEvent);
}

test.each([
  [{ steps: [{ step: "look", status: "completed" }] }, [["look", "completed", "medium"]]],
  [{ steps: [{ step: "leap", status: "inProgress" }] }, [["leap", "in_progress", "medium"]]],
  [{ todos: [{ content: "x", status: "pending", priority: "high" }] }, [["x", "pending", "high"]]],
  [{ todos: [{ content: "x", status: "cancelled" }] }, [["x", "cancelled", "medium"]]],
])("maps a plan to a list of steps: %j", (data, expected) => {
  const [plan] = updatesOf({ subtype: "plan", data });
  if (plan?.type !== "plan") throw new Error("the update is not a plan");
  expect(plan.steps.map(({ content, status, priority }) => [content, status, priority])).toEqual(
    expected,
  );
});

test("maps a plan without steps to text", () => {
  expect(updatesOf({ subtype: "plan", text: "1. do it" })).toMatchObject([
    { type: "text", by: "agent", text: "1. do it" },
  ]);
});

test("maps the model's context usage if the runtime reports it", () => {
  const cost = { amount: 0.5, currency: "USD" };
  expect(updatesOf({ subtype: "usage", data: { contextUsed: 5, contextSize: 10, cost } })).toEqual([
    { type: "usage", usage: { used: 5, size: 10, cost } },
  ]);
  expect(updatesOf({ subtype: "usage", data: { tokens: 5 } })).toEqual([]);
});

test("maps a warning to a notice, and ignores raw messages", () => {
  expect(updatesOf({ subtype: "warning", text: "mind the gap" })).toEqual([
    { type: "notice", isFromHalyard: false, text: "mind the gap" },
  ]);
  expect(updatesOf({ subtype: "raw", data: { message: 1 } })).toEqual([]);
});

const message = { channel: "text", messageId: "m1" } as const;
const outcome = {
  status: "cancelled",
  text: "",
  stopReason: "cancelled",
  usage: { inputTokens: 0, outputTokens: 0 },
  durationMs: 0,
} as const;

/** The events of a turn. A queued turn ends during a message and a tool call of this turn. */
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

test("keeps the running turn's state when a queued turn ends", () => {
  const mapper = new UpdateMapper("/work");
  const updates = interleaved.flatMap((event) => mapper.map(event));
  expect(updates.map((update) => (update.type === "text" ? update.text : update.type))).toEqual([
    "one ",
    "tool",
    "two",
    "result",
  ]);
  const edits = [{ path: "/work/a.txt", operation: "add", before: "", after: "x" }];
  expect(updates.at(-1)).toMatchObject({ type: "result", edits });
});

test("replays complete messages, even if a queued turn ended during one of them", async () => {
  const events = async function* () {
    yield* interleaved;
  };
  const texts: string[] = [];
  for await (const update of replayUpdates(events(), new UpdateMapper("/work")))
    if (update.type === "text") texts.push(update.text);
  expect(texts).toEqual(["one two"]);
});
