import { expect, test } from "vitest";
import { createMapper } from "./events.ts";

test("reports the account's usage windows when they change, and names the window that is full", () => {
  const mapper = createMapper();
  const update = (primary: number, secondary: number) =>
    mapper.map({
      method: "account/rateLimits/updated",
      params: {
        rateLimits: {
          primary: { usedPercent: primary, windowDurationMins: 300, resetsAt: 1_794_934_800 },
          secondary: { usedPercent: secondary, windowDurationMins: 10_080, resetsAt: null },
        },
      },
    });
  const windows = [
    { window: "5h", usedPercent: 40, resetsAt: "2026-11-17T17:00:00.000Z" },
    { window: "7d", usedPercent: 10 },
  ];
  expect(update(40, 10)).toEqual([
    { type: "system", subtype: "limit", data: { status: "ok", windows } },
  ]);
  expect(update(40, 10)).toEqual([]);
  expect(update(100, 10)).toMatchObject([
    { data: { status: "reached", window: "5h", resetsAt: "2026-11-17T17:00:00.000Z" } },
  ]);
  expect(mapper.map({ method: "account/rateLimits/updated", params: {} })).toEqual([]);
});

test("maps a list of steps to a plan", () => {
  const plan = [
    { step: "look", status: "completed" },
    { step: "leap", status: "inProgress" },
  ];
  const turn = { threadId: "t", turn: { id: "one", items: [] } };
  const params = { threadId: "t", turnId: "one", explanation: null, plan };
  const mapper = createMapper();
  mapper.map({ method: "turn/started", params: turn });
  expect(mapper.map({ method: "turn/plan/updated", params }).at(-1)).toEqual({
    type: "system",
    subtype: "plan",
    text: "✓ look\n› leap",
    data: { steps: plan },
  });
});
