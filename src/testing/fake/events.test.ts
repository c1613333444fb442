import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { createMapper } from "./events.ts";

/** Maps a message in an open turn. */
function map(message: unknown): EventDraft[] {
  const mapper = createMapper();
  mapper.map({ type: "accepted", id: "1" });
  return mapper.map(message);
}

test("maps messages after the end of a turn to raw", () => {
  const mapper = createMapper();
  const done = { type: "done", status: "completed", usage: { input: 1, output: 1 } };
  mapper.map({ type: "accepted", id: "1" });
  expect(mapper.map(done)).toMatchObject([{ type: "completion" }]);
  expect(mapper.map(done)).toEqual([{ type: "system", subtype: "raw", data: { message: done } }]);
});

test.each<[object, EventDraft[]]>([
  [{ type: "ready", sessionId: "s", resumable: false }, []],
  [{ type: "no_session", sessionId: "s" }, []],
  [{ type: "accepted", id: "1" }, []],
  [{ type: "refused", id: "1", reason: "busy" }, []],
  [
    { type: "saved", sessionId: "s" },
    [{ type: "system", subtype: "status", data: { runtimeSessionId: "s", resumable: true } }],
  ],
  [
    { type: "text", messageId: "m", text: "x" },
    [{ type: "delta", channel: "text", messageId: "m", text: "x" }],
  ],
  [
    { type: "thinking", messageId: "m", text: "x" },
    [{ type: "delta", channel: "reasoning", messageId: "m", text: "x" }],
  ],
  [
    { type: "message", channel: "thinking", messageId: "m", text: "x" },
    [{ type: "message", role: "assistant", channel: "reasoning", messageId: "m", text: "x" }],
  ],
  [
    { type: "tool", id: "c", name: "write", input: { file: "f" } },
    [{ type: "tool_call", callId: "c", name: "write", kind: "edit", input: { file: "f" } }],
  ],
  [
    { type: "tool_end", id: "c", output: "no", isError: true, exitCode: 1 },
    [{ type: "tool_result", callId: "c", output: "no", isError: true, exitCode: 1 }],
  ],
  [
    {
      type: "ask",
      id: "q",
      kind: "permission",
      text: "May I?",
      tool: { id: "c", name: "shell", input: {} },
      options: [{ id: "allow", label: "Allow", decision: "allow" }],
    },
    [
      {
        type: "request",
        nativeId: "q",
        kind: "permission",
        text: "May I?",
        callId: "c",
        tool: { name: "shell", kind: "execute", input: {} },
        options: [{ id: "allow", label: "Allow", decision: "allow" }],
      },
    ],
  ],
  [
    { type: "ask", id: "q", kind: "question", text: "Why?" },
    [{ type: "request", nativeId: "q", kind: "question", text: "Why?", options: [] }],
  ],
  [{ type: "retry", reason: "cut" }, [{ type: "system", subtype: "retry", text: "cut" }]],
  [
    { type: "done", status: "failed", usage: { input: 1, output: 2 }, error: "no" },
    [
      {
        type: "completion",
        status: "failed",
        usage: { inputTokens: 1, outputTokens: 2 },
        error: { code: "agent_failed", message: "no", retryable: false },
      },
    ],
  ],
])("maps %j to drafts", (message, drafts) => {
  expect(map(message)).toEqual(drafts);
});

test("ignores unknown fields of a message", () => {
  const text = { type: "text", messageId: "m", text: "x" };
  expect(map({ ...text, colour: "blue" })).toEqual(map(text));
});

const types = ["ready", "saved", "text", "message", "tool", "tool_end", "ask", "done", "hologram"];
const nearMiss = fc.record({
  type: fc.constantFrom(...types),
  id: fc.anything(),
  text: fc.anything(),
  usage: fc.anything(),
});

test("maps any other value to raw, deterministically", () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), nearMiss), (message) => {
      const drafts = map(message);
      expect(drafts).toEqual([{ type: "system", subtype: "raw", data: { message } }]);
      expect(map(message)).toEqual(drafts);
    }),
  );
});

test("returns nothing from flush, because it buffers no drafts", () => {
  const mapper = createMapper();
  mapper.map({ type: "text", messageId: "m", text: "x" });
  expect(mapper.flush()).toEqual([]);
});
