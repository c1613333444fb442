import { expect, test } from "vitest";
import type { StreamEvent, SystemEvent } from "../schema/event.ts";
import { Narrator } from "./narrator.ts";
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
