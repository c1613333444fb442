import { expect, test } from "vitest";
import type { EventBody, StreamEvent } from "../schema/event.ts";
import { sampleSession } from "../testing/sample-session.ts";
import { createPayloads } from "./payload.ts";

const info = sampleSession();

/** What hooks are told of these events, in their order. */
function tell(...bodies: EventBody[]) {
  const toPayload = createPayloads();
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

test("what the runtime's own hook knows of the start is told with it, once", () => {
  expect(tell(native("startup"), started)).toEqual([
    ["SessionStart", { seq: 2, opened: "started", source: "startup", transcript_path: "/t.jsonl" }],
  ]);
  expect(tell(started, native("startup"))).toEqual([
    ["SessionStart", { seq: 1, opened: "started" }],
  ]);
});

test("the stop of a session carries what the runtime's own hook reports of its end, once", () => {
  const data = { hook: "SessionEnd", endReason: "prompt_input_exit" };
  const ended: EventBody = { type: "system", subtype: "status", data };
  const stopped: EventBody = { type: "system", subtype: "session_stopped", text: "done" };
  expect(tell(started, ended, stopped, started, stopped)).toEqual([
    ["SessionStart", { seq: 1, opened: "started" }],
    ["SessionStop", { seq: 3, reason: "done", end_reason: "prompt_input_exit" }],
    ["SessionStart", { seq: 4, opened: "started" }],
    ["SessionStop", { seq: 5, reason: "done" }],
  ]);
});

test("a notification of the runtime is a message of the runtime", () => {
  const data = { hook: "Notification", notificationType: "idle_prompt" };
  const text = "Claude is waiting for your input";
  expect(tell({ type: "system", subtype: "status", text, data })).toEqual([
    ["OnMessage", { seq: 1, role: "runtime", message: text, notification_type: "idle_prompt" }],
  ]);
});

test("a session that begins anew within its process is told to start again", () => {
  expect(tell(started, native("compact"))).toEqual([
    ["SessionStart", { seq: 1, opened: "started" }],
    ["SessionStart", { seq: 2, source: "compact", transcript_path: "/t.jsonl" }],
  ]);
});

test("a runtime that says its own id later has not started twice", () => {
  const data = { runtimeSessionId: "native" };
  expect(tell(started, { type: "system", subtype: "session_started", data })).toHaveLength(1);
});

test("thoughts, pieces and echoes are no messages", () => {
  const message = { type: "message", messageId: "m", text: "hm" } as const;
  expect(
    tell(
      { type: "delta", channel: "text", messageId: "m", text: "hm" },
      { ...message, role: "assistant", channel: "reasoning" },
      { ...message, role: "user", channel: "text" },
      { ...message, role: "assistant", channel: "text" },
    ),
  ).toEqual([["OnMessage", { seq: 4, role: "assistant", message: "hm" }]]);
});
