import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { describeMapper } from "../../../testing/describe-mapper.ts";
import { createMapper } from "./events.ts";

describe("Pi's mapper", () => {
  describeMapper(new URL("../fixtures/", import.meta.url), createMapper, {
    turns: { "multi-turn.jsonl": 2, "v0.87-abort-in-text.jsonl": 2, "v0.87-error-500.jsonl": 2 },
  });
});

/** Maps messages, including the drafts that the mapper buffered. */
function map(...messages: unknown[]): EventDraft[] {
  const mapper = createMapper();
  return [...messages.flatMap((message) => mapper.map(message)), ...mapper.flush()];
}

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function answer(fields: Record<string, unknown>) {
  return {
    type: "message_end",
    message: { role: "assistant", content: [], timestamp: 1, usage, ...fields },
  };
}

const failed = answer({ stopReason: "error", errorMessage: "500 it broke" });
const start = { type: "agent_start" };
const end = { type: "agent_end" };
const noUsage = { inputTokens: 0, outputTokens: 0 };
const failure = {
  type: "completion",
  status: "failed",
  usage: noUsage,
  error: { code: "agent_failed", message: "500 it broke", retryable: false },
};

describe("the end of a turn", () => {
  test("is delayed after a failure while a retry may follow", () => {
    const mapper = createMapper();
    expect([start, failed, end].flatMap((message) => mapper.map(message))).toEqual([]);
    expect(mapper.map({ type: "response", command: "get_state", success: true })).toEqual([
      failure,
    ]);
    expect(mapper.flush()).toEqual([]);
  });

  test("is cancelled by a retry, or by a compaction that retries", () => {
    const retry = {
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 2,
      delayMs: 1000,
      errorMessage: "500 it broke",
    };
    const compaction = [
      { type: "compaction_start", reason: "overflow" },
      { type: "response", command: "get_state", success: true },
      { type: "compaction_end", reason: "overflow", aborted: false, willRetry: true },
    ];
    const recovered = [start, answer({ stopReason: "stop" }), end];
    for (const inBetween of [[retry], compaction]) {
      const ends = map(start, failed, end, ...inBetween, ...recovered).filter(
        ({ type }) => type === "completion",
      );
      expect(ends).toEqual([
        { type: "completion", status: "completed", stopReason: "end_turn", usage: noUsage },
      ]);
    }
  });

  test.each(["attempt", "maxAttempts", "delayMs", "errorMessage"])(
    "is cancelled by a retry whose field %s is malformed",
    (name) => {
      const retry = {
        type: "auto_retry_start",
        attempt: 1,
        maxAttempts: 2,
        delayMs: 1000,
        errorMessage: "500 it broke",
        [name]: null,
      };
      const state = { type: "response", command: "get_state", success: true };
      const recovered = [start, answer({ stopReason: "stop" }), end];
      const drafts = map(start, failed, end, retry, state, ...recovered);
      expect(drafts).toMatchObject([
        { type: "system", subtype: "retry" },
        { type: "completion", status: "completed" },
      ]);
    },
  );

  test.each([null, "no", {}])("is emitted if willRetry is %j", (willRetry) => {
    const last = { type: "agent_end", willRetry };
    expect(map(start, answer({ stopReason: "stop" }), last)).toMatchObject([
      { type: "completion", status: "completed" },
    ]);
    expect(map(start, failed, last)).toEqual([failure]);
  });

  test("is read from the last message, even if its other fields are malformed", () => {
    const odd = { timestamp: null, content: null, usage: { input: null }, errorMessage: null };
    expect(map(start, answer({ ...odd, stopReason: "error" }), end)).toMatchObject([
      {
        type: "completion",
        status: "failed",
        error: { message: "The model did not return an answer. Send the message again." },
      },
    ]);
  });

  test("is emitted after a compaction with malformed fields", () => {
    const compaction = [
      { type: "compaction_start", reason: null },
      { type: "compaction_end", reason: null, aborted: null, willRetry: null, errorMessage: null },
      { type: "response", command: "get_state", success: true, error: null },
    ];
    const mapper = createMapper();
    const drafts = [start, failed, end, ...compaction].flatMap((message) => mapper.map(message));
    expect(drafts.at(-1)).toEqual(failure);
  });

  test("is emitted if the compaction after it fails", () => {
    const compaction = [
      { type: "compaction_start", reason: "overflow" },
      {
        type: "compaction_end",
        reason: "overflow",
        aborted: false,
        willRetry: false,
        errorMessage: "no room",
      },
    ];
    expect(map(start, failed, end, ...compaction)).toEqual([
      { type: "system", subtype: "compaction", data: { state: "started", reason: "overflow" } },
      {
        type: "system",
        subtype: "compaction",
        text: "no room",
        data: { state: "failed", reason: "overflow" },
      },
      failure,
    ]);
  });

  test("is a failure if Pi rejects the prompt while no run is active", () => {
    const refusal = { type: "response", command: "prompt", success: false };
    expect(map({ ...refusal, error: "No API key found for anthropic." })).toMatchObject([
      { type: "completion", status: "failed", error: { code: "not_signed_in" } },
    ]);
    expect(map(start, { ...refusal, error: "Agent is already processing." })).toEqual([]);
  });

  test("is emitted without a run if an extension handled the message as a command", () => {
    const accepted = { type: "response", command: "prompt", success: true };
    const idle = { type: "response", command: "get_state", success: true };
    expect(map(accepted, { ...idle, data: { isStreaming: false } })).toMatchObject([
      { type: "completion", status: "completed" },
    ]);
    expect(map(accepted, { ...idle, data: { isStreaming: true } })).toEqual([]);
  });
});

test("adds up the costs of a turn's messages, and omits a cost of zero", () => {
  const message = (cost: number) =>
    answer({
      stopReason: "toolUse",
      usage: { input: 10, output: 2, cacheRead: 3, cacheWrite: 0, cost: { total: cost } },
    });
  expect(map(start, message(0.25), message(0.5), end)).toMatchObject([
    { subtype: "usage", data: { usage: { inputTokens: 10, costUsd: 0.25 } } },
    { subtype: "usage", data: { usage: { inputTokens: 20, costUsd: 0.75 } } },
    { usage: { inputTokens: 20, outputTokens: 4, cacheReadTokens: 6, costUsd: 0.75 } },
  ]);
  const [, free] = map(start, message(0), end);
  expect(free).not.toHaveProperty("usage.costUsd");
});

test("separates two blocks of one message in deltas and in the complete message", () => {
  const update = (contentIndex: number, delta: string) => ({
    type: "message_update",
    assistantMessageEvent: { type: "text_delta", contentIndex, delta },
  });
  const content = [
    { type: "text", text: "One." },
    { type: "toolCall", id: "c" },
    { type: "text", text: "Two." },
  ];
  const drafts = map(
    { ...answer({ stopReason: "stop" }), type: "message_start" },
    update(0, "One."),
    update(2, "Two."),
    answer({ stopReason: "stop", content }),
  );
  expect(drafts.map((draft) => "text" in draft && draft.text)).toEqual([
    "One.",
    "\n\nTwo.",
    "One.\n\nTwo.",
  ]);
});

test("assigns unique ids to messages with the same timestamp", () => {
  const message = answer({ stopReason: "stop", content: [{ type: "text", text: "x" }] });
  expect(map(message, message)).toMatchObject([{ messageId: "msg-1" }, { messageId: "msg-1-2" }]);
});

test("maps a tool result with malformed fields", () => {
  const ended = { type: "tool_execution_end", toolCallId: "c", toolName: null };
  expect(map({ ...ended, result: null, isError: null })).toEqual([
    { type: "tool_result", callId: "c", output: "", isError: false },
  ]);
});

test("maps a dialog from the user's extension to a question", () => {
  const ask = { type: "extension_ui_request", id: "7", title: "Branch?" };
  expect(map({ ...ask, method: "select", options: ["main", "next"] })).toEqual([
    {
      type: "request",
      nativeId: "7",
      kind: "question",
      text: "Branch?",
      options: [
        { id: "main", label: "main", decision: "allow" },
        { id: "next", label: "next", decision: "allow" },
      ],
    },
  ]);
  expect(map({ ...ask, method: "setStatus" })).toEqual([]);
  expect(map({ ...ask, method: "input", message: null, options: null })).toMatchObject([
    { type: "request", text: "Branch?", options: [] },
  ]);
});
