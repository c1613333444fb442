import { expect, test } from "vitest";
import type { EventBody, RequestEvent, StreamEvent } from "../schema/event.ts";
import { sampleSession } from "../testing/sample-session.ts";
import { createPayloadMapper } from "./payload.ts";

const info = sampleSession();

/** Returns the hook payloads for these events, in order. */
function payloadsOf(...bodies: EventBody[]) {
  const toPayload = createPayloadMapper(false);
  return bodies.flatMap((body, index) => {
    const envelope = { seq: index + 1, at: "2026-01-01T00:00:00.000Z", sessionId: info.id };
    const event: StreamEvent = { ...body, ...envelope, runtime: "claude" };
    const payload = toPayload(event, info);
    return payload ? [[payload.event, payload.data]] : [];
  });
}

const native = (source: string): EventBody => ({
  type: "system",
  subtype: "status",
  data: { hook: "SessionStart", source, transcriptPath: "/t.jsonl" },
});

const started: EventBody = {
  type: "system",
  subtype: "session_started",
  data: { opened: "started" },
};

test("emits SessionStart once, with the data of the runtime's own start hook if that hook reports first", () => {
  expect(payloadsOf(native("startup"), started)).toEqual([
    ["SessionStart", { seq: 2, opened: "started", source: "startup", transcript_path: "/t.jsonl" }],
  ]);
  expect(payloadsOf(started, native("startup"))).toEqual([
    ["SessionStart", { seq: 1, opened: "started" }],
  ]);
});

test("adds the data of the runtime's own end hook only to the next SessionStop", () => {
  const data = { hook: "SessionEnd", endReason: "prompt_input_exit" };
  const ended: EventBody = { type: "system", subtype: "status", data };
  const stopped: EventBody = { type: "system", subtype: "session_stopped", text: "done" };
  expect(payloadsOf(started, ended, stopped, started, stopped)).toEqual([
    ["SessionStart", { seq: 1, opened: "started" }],
    ["SessionStop", { seq: 3, reason: "done", end_reason: "prompt_input_exit" }],
    ["SessionStart", { seq: 4, opened: "started" }],
    ["SessionStop", { seq: 5, reason: "done" }],
  ]);
});

test("emits no SessionStop for a session that is stopped before its start, but emits one for a session that fails", () => {
  const ended = (state: string): EventBody => ({
    type: "system",
    subtype: "session_stopped",
    data: { state },
  });
  expect(payloadsOf(ended("stopped"))).toEqual([]);
  const names = payloadsOf(started, ended("stopped"), ended("stopped"), ended("failed"));
  expect(names.map(([name]) => name)).toEqual(["SessionStart", "SessionStop", "SessionStop"]);
});

test("maps the runtime's notification to a message with the role `runtime`", () => {
  const data = { hook: "Notification", notificationType: "idle_prompt" };
  const text = "Claude is waiting for your input";
  expect(payloadsOf({ type: "system", subtype: "status", text, data })).toEqual([
    ["OnMessage", { seq: 1, role: "runtime", message: text, notification_type: "idle_prompt" }],
  ]);
});

test("emits SessionStart again when the runtime starts a new session within its process", () => {
  expect(payloadsOf(started, native("compact"))).toEqual([
    ["SessionStart", { seq: 1, opened: "started" }],
    ["SessionStart", { seq: 2, source: "compact", transcript_path: "/t.jsonl" }],
  ]);
});

test("emits SessionStart once if the runtime reports its session id later", () => {
  const data = { runtimeSessionId: "native" };
  expect(payloadsOf(started, { type: "system", subtype: "session_started", data })).toHaveLength(1);
});

test("emits no message for reasoning, deltas and echoes of user messages", () => {
  const message = { type: "message", messageId: "m", text: "hm" } as const;
  expect(
    payloadsOf(
      { type: "delta", channel: "text", messageId: "m", text: "hm" },
      { ...message, role: "assistant", channel: "reasoning" },
      { ...message, role: "user", channel: "text" },
      { ...message, role: "assistant", channel: "text" },
    ),
  ).toEqual([["OnMessage", { seq: 4, role: "assistant", message: "hm" }]]);
});

test("maps a request that waits for an answer, and the end of a turn", () => {
  const request: Extract<EventBody, { type: "request" }> = {
    type: "request",
    requestId: "req_0123456789abcdef",
    nativeId: "1",
    kind: "permission",
    text: "Run npm test?",
    tool: { name: "Bash", kind: "execute", input: { command: "npm test" } },
    options: [{ id: "yes", label: "Yes", decision: "allow" }],
    verdict: "ask",
  };
  const usage = { inputTokens: 3, outputTokens: 2, costUsd: 0.5 };
  const outcome = {
    status: "completed",
    text: "Done.",
    stopReason: "end_turn",
    durationMs: 7,
    usage,
  } as const;
  expect(
    payloadsOf({ ...request, verdict: "allow" }, request, { type: "completion", outcome }),
  ).toEqual([
    [
      "OnRequest",
      {
        seq: 2,
        session_name: null,
        request_id: "req_0123456789abcdef",
        kind: "permission",
        text: "Run npm test?",
        tool: "Bash",
        options: [{ id: "yes", label: "Yes" }],
      },
    ],
    [
      "OnTurnEnd",
      {
        seq: 3,
        session_name: null,
        status: "completed",
        message: "Done.",
        stop_reason: "end_turn",
        duration_ms: 7,
        usage: { input_tokens: 3, output_tokens: 2, cost_usd: 0.5 },
      },
    ],
  ]);
});

test("delivers OnLimit if a usage limit stops a turn, and OnBudget for a budget request", () => {
  const resetsAt = "2026-11-17T17:00:00.000Z";
  const limit = (data: Record<string, unknown>) =>
    ({ type: "system", subtype: "limit", text: "Limit reached.", data }) as const;
  const budget = { scope: "day", unit: "tokens", limit: 10, used: 12, extendBy: 10 } as const;
  const request: RequestEvent = {
    type: "request",
    requestId: "req_0123456789abcdef",
    nativeId: "halyard:budget",
    kind: "budget",
    text: "Extend it?",
    options: [],
    verdict: "ask",
    budget,
  };
  expect(
    payloadsOf(
      limit({ status: "reached", resetsAt }), // not delivered, because the runtime retries by itself
      limit({ status: "reached", resetsAt, window: "5h", action: "wait" }),
      request,
    ),
  ).toEqual([
    [
      "OnLimit",
      {
        seq: 2,
        session_name: null,
        message: "Limit reached.",
        action: "wait",
        window: "5h",
        resets_at: resetsAt,
      },
    ],
    [
      "OnBudget",
      {
        seq: 3,
        session_name: null,
        request_id: "req_0123456789abcdef",
        kind: "budget",
        text: "Extend it?",
        tool: null,
        options: [],
        budget: { scope: "day", unit: "tokens", limit: 10, used: 12, extend_by: 10 },
      },
    ],
  ]);
});
