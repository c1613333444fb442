import { expect, test } from "vitest";
import type { StreamEvent } from "../../schema/event.ts";
import { sampleSession } from "../../testing/sample-session.ts";
import { createNotifier, type NotifierOptions } from "./notifier.ts";

const session = sampleSession({ name: "api; v2\u001b[2J" });
const envelope = { at: "2026-01-01T00:00:00.000Z", sessionId: session.id, runtime: "pi" } as const;
const ended = (durationMs: number): StreamEvent => ({
  ...envelope,
  seq: 5,
  type: "completion",
  outcome: {
    status: "completed",
    text: "all\u0007 green",
    stopReason: "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
    durationMs,
  },
});
const notify = (options: Partial<NotifierOptions>, event = ended(20_000)) =>
  createNotifier({ mode: "auto", isTTY: true, env: {}, after: 0, ...options })(event, session);

test.each([
  ["a bell on an unknown console", {}, "\u0007"],
  [
    "OSC 9 on WezTerm",
    { TERM_PROGRAM: "WezTerm" },
    "\u001b]9;api; v2 is done: all green\u0007\u0007",
  ],
  [
    "OSC 777 on VTE",
    { VTE_VERSION: "7600" },
    "\u001b]777;notify;api, v2 is done;all green\u0007\u0007",
  ],
  [
    "a wrapped OSC 9 in tmux",
    { TERM_PROGRAM: "WezTerm", TMUX: "/tmp/tmux,1,0" },
    "\u001bPtmux;\u001b\u001b]9;api; v2 is done: all green\u0007\u001b\\\u0007",
  ],
])("writes %s", (_, env, text) => {
  expect(notify({ env })).toBe(text);
});

test("writes nothing without a console, if notifications are off, for old events, or in auto mode for short turns", () => {
  expect(notify({ isTTY: false })).toBe("");
  expect(notify({ mode: "off" })).toBe("");
  expect(notify({}, ended(2_000))).toBe("");
  expect(notify({ after: 5 })).toBe("");
  expect(notify({ mode: "bell" }, ended(2_000))).toBe("\u0007");
});
