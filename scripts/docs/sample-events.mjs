import { StreamEvent } from "../../dist/index.js";

/** Returns the events of a short turn, validated against the schema. */
export function sample() {
  const bodies = [
    { type: "system", subtype: "turn_started", text: "Say hello in hello.txt" },
    { type: "delta", channel: "text", messageId: "m1", text: "I'll write " },
    { type: "delta", channel: "text", messageId: "m1", text: "it." },
    {
      type: "message",
      role: "assistant",
      channel: "text",
      messageId: "m1",
      text: "I'll write it.",
    },
    {
      type: "tool_call",
      callId: "c1",
      name: "write",
      kind: "edit",
      input: { path: "hello.txt", content: "hello" },
    },
    { type: "tool_result", callId: "c1", output: "wrote 5 bytes", isError: false },
    {
      type: "completion",
      outcome: {
        status: "completed",
        text: "I'll write it.",
        stopReason: "end_turn",
        usage: { inputTokens: 812, outputTokens: 34 },
        durationMs: 1204,
      },
    },
  ];
  const envelope = {
    at: "2026-01-01T12:00:00.000Z",
    sessionId: "ses_k3v9x0q2m7b1c8d4",
    turnId: "trn_p5w1z6r9t2y4h0j3",
    runtime: "pi",
  };
  const events = bodies.map((body, index) => ({ seq: index + 3, ...envelope, ...body }));
  return events.map((event) => StreamEvent.parse(event) && inShort(event));
}

/** Removes the fields that are the same on every line. */
function inShort({ at, sessionId, turnId, runtime, ...event }) {
  return event;
}
