import { expect, test } from "vitest";
import { type EventBody, StreamEvent } from "../../schema/event.ts";
import { displayWidth } from "../text/display-width.ts";
import { Activity } from "./activity.ts";

const startedAt = Date.parse("2026-01-01T00:00:00.000Z");

/** Returns the activity after these events, one per second. */
function after(...bodies: readonly EventBody[]): Activity {
  const activity = new Activity();
  for (const [index, body] of bodies.entries())
    activity.note(
      StreamEvent.parse({
        seq: index + 1,
        at: new Date(startedAt + index * 1000).toISOString(),
        sessionId: "ses_0123456789abcdef",
        runtime: "pi",
        turnId: "trn_0123456789abcdef",
        ...body,
      }),
    );
  return activity;
}

const started: EventBody = { type: "system", subtype: "turn_started" };
const call = (callId: string, command: string): EventBody => ({
  type: "tool_call",
  callId,
  name: "bash",
  kind: "execute",
  input: { command },
});
const result = (callId: string): EventBody => ({
  type: "tool_result",
  callId,
  output: "",
  isError: false,
});
const request: EventBody = {
  type: "request",
  requestId: "req_0123456789abcdef",
  nativeId: "1",
  kind: "permission",
  text: "Run it?",
  verdict: "ask",
  options: [],
};
const describe = (activity: Activity, seconds: number, columns = 80): string =>
  activity.describe(columns, startedAt + seconds * 1000);

test("shows how long the agent has been thinking", () => {
  expect(describe(after(started), 12)).toBe("pi is thinking · 12 s");
  expect(describe(after(started), 125)).toBe("pi is thinking · 2 min");
});

test("shows the longest-running tool and the number of other running tools", () => {
  const both = [started, call("1", "npm test"), call("2", "ls")];
  expect(describe(after(started, call("1", "npm test\nls")), 5)).toBe("bash npm test · 4 s");
  expect(describe(after(...both), 5)).toBe("bash npm test (+1 more) · 4 s");
  expect(describe(after(...both, result("1")), 5)).toBe("bash ls · 3 s");
  expect(describe(after(...both, result("1"), result("2")), 5)).toBe("pi is thinking · 1 s");
});

test.each([20, 40])(
  "fits the activity into %i columns, even if it contains wide characters",
  (columns) => {
    const text = describe(after(started, call("1", "编译".repeat(50))), 70, columns);
    expect(displayWidth(text)).toBeLessThanOrEqual(columns);
    expect(text).toMatch(/… · 1 min$/);
  },
);

test("is at rest while a request waits for an answer, and after the turn has ended", () => {
  expect(after(started, call("1", "ls"), request).isAtRest).toBe(true);
  const outcome = {
    status: "completed",
    text: "",
    stopReason: "end_turn",
    usage: { inputTokens: 1, outputTokens: 1 },
    durationMs: 1,
  } as const;
  const ended = after(started, call("1", "ls"), { type: "completion", outcome });
  expect([ended.isAtRest, describe(ended, 5)]).toEqual([true, ""]);
});
