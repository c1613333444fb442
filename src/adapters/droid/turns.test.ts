import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { createMapper } from "./events/events.ts";
import { NativeTurn } from "./events/native-turn.ts";

function notification(type: string, fields: Record<string, unknown> = {}) {
  return {
    type: "notification",
    method: "droid.session_notification",
    params: { notification: { type, ...fields } },
  };
}

const usage = { inputTokens: 1, outputTokens: 1 };
const accepted = (id: string) => ({ type: "response", id: `message:${id}`, result: {} });
const working = notification("droid_working_state_changed", { newState: "thinking" });
const idle = notification("droid_working_state_changed", { newState: "idle" });
const echo = (id: string) =>
  notification("create_message", {
    message: { id, role: "user", content: [{ type: "text", text: "hello" }] },
    requestId: `message:${id}`,
  });
const delta = notification("assistant_text_delta", { messageId: "m", textDelta: "Hi" });
const error = notification("error", { message: "it broke" });
const result = notification("tool_result", { toolUseId: "c", content: "done" });
const end = (
  turnId: string,
  reason = "completed",
  fields: Record<string, unknown> = { tokenUsage: usage },
) => notification("agent_turn_completed", { reason, turnId, ...fields });

function map(...messages: unknown[]): EventDraft[] {
  const mapper = createMapper();
  return messages.flatMap((message) => mapper.map(message));
}

const types = (drafts: readonly EventDraft[]) =>
  drafts.map((draft) => (draft.type === "system" ? draft.subtype : draft.type));

describe("turn", () => {
  test("does not end when Droid becomes idle", () => {
    expect(types(map(accepted("a"), working, echo("a"), idle, delta))).toEqual(["delta"]);
  });

  test("does not include messages between its end and the next turn", () => {
    const drafts = map(
      accepted("a"),
      working,
      echo("a"),
      end("a"),
      delta,
      result,
      end("a"),
      working,
      delta,
    );
    expect(types(drafts)).toEqual(["completion", "raw", "raw", "warning", "delta"]);
  });

  test("does not end when another turn ends", () => {
    const drafts = map(accepted("a"), working, echo("a"), end("b", "error"), delta, end("a"));
    expect(types(drafts)).toEqual(["warning", "delta", "completion"]);
  });

  test("continues while Droid has an accepted message in its queue", () => {
    const first = [accepted("a"), working, echo("a"), accepted("b")];
    const drafts = map(...first, end("a"), idle, working, echo("b"), delta, end("b"));
    expect(drafts.at(-1)).toMatchObject({
      type: "completion",
      usage: { inputTokens: 2, outputTokens: 2 },
    });
    expect(types(drafts)).toEqual(["delta", "completion"]);
  });

  test("does not wait for a message that Droid discarded, or for any message after a cancel", () => {
    const first = [accepted("a"), working, echo("a"), accepted("b")];
    const dropped = notification("queued_messages_discarded", {
      text: "x",
      requestId: "message:b",
    });
    expect(types(map(...first, dropped, end("a")))).toEqual(["warning", "completion"]);
    expect(types(map(...first, end("a", "cancelled")))).toEqual(["completion"]);
  });

  test("continues while a message is being sent, even if Droid acknowledges it only after the native end", () => {
    const turn = new NativeTurn();
    const mapper = createMapper({ turn });
    const mapAll = (...messages: unknown[]) =>
      types(messages.flatMap((message) => mapper.map(message)));
    mapAll(accepted("a"), working, echo("a"));
    turn.sent("b");
    expect(mapAll(end("a"), accepted("b"), idle)).toEqual([]);
    expect(mapAll(working, echo("b"), delta, end("b"))).toEqual(["delta", "completion"]);
    expect(turn.hasEnded).toBe(true);
  });

  test("ends when Droid discards or rejects the last message that it waited for", () => {
    const first = [accepted("a"), working, echo("a"), accepted("b"), end("a")];
    const dropped = notification("queued_messages_discarded", { requestId: "message:b" });
    const refused = { type: "response", id: "message:b", error: "no more room" };
    for (const loss of [dropped, refused])
      expect(map(...first, loss)).toMatchObject([
        { subtype: "warning" },
        { type: "completion", status: "completed", usage },
      ]);
  });

  test("can be cancelled before Droid starts to work on the queued message", () => {
    const first = [accepted("a"), working, echo("a"), accepted("b"), end("a"), working];
    expect(types(map(...first, end("b", "cancelled")))).toEqual(["completion"]);
  });

  test("can be cancelled before the first output", () => {
    expect(map(accepted("a"), working, end("a", "cancelled"))).toMatchObject([
      { type: "completion", status: "cancelled" },
    ]);
  });

  test("fails after an error, unless an assistant message follows the error", () => {
    const failure = { type: "completion", status: "failed", error: { message: "it broke" } };
    expect(map(working, error, end("a")).at(-1)).toMatchObject(failure);
    const answer = notification("create_message", {
      message: { id: "m", role: "assistant", content: "All the same." },
    });
    expect(map(working, error, answer, end("a")).at(-1)).toMatchObject({ status: "completed" });
  });

  test.each([
    ["completed", "completed", "end_turn"],
    ["something_new", "completed", "something_new"],
    ["model_something_new", "failed", undefined],
    ["quota_exceeded", "failed", undefined],
  ])("with the end reason %s is %s", (reason, status, stopReason) => {
    expect(map(working, end("a", reason))).toMatchObject([
      { status, ...(stopReason && { stopReason }) },
    ]);
  });

  test("computes its usage from the running total if Droid reports nothing else", () => {
    const total = (inputTokens: number) => ({
      cumulativeTokenUsage: { inputTokens, outputTokens: 1, cacheReadTokens: 4 },
    });
    const drafts = map(
      working,
      end("a", "completed", total(10)),
      working,
      end("b", "completed", total(25)),
    );
    expect(drafts).toMatchObject([
      { usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 4 } },
      { usage: { inputTokens: 15, outputTokens: 0 } },
    ]);
  });
});

describe("malformed field", () => {
  const odd = [
    null,
    "many",
    { inputTokens: null, outputTokens: 1 },
    { inputTokens: -1, outputTokens: 1 },
    { inputTokens: 1.5, outputTokens: 1 },
  ];

  test.each(odd)("does not prevent the end of a turn if it is the usage: %j", (cost) => {
    for (const name of ["tokenUsage", "cumulativeTokenUsage", "childTokenUsage"])
      expect(map(working, end("a", "completed", { [name]: cost }))).toEqual([
        {
          type: "completion",
          status: "completed",
          stopReason: "end_turn",
          usage: { inputTokens: 0, outputTokens: 0 },
        },
      ]);
  });

  test("is omitted from the usage, but the other fields count", () => {
    const fields = { tokenUsage: { ...usage, cacheReadTokens: null, thinkingTokens: 2 } };
    expect(map(working, end("a", "completed", fields))).toMatchObject([
      { status: "completed", usage: { ...usage, reasoningTokens: 2 } },
    ]);
  });

  test("does not prevent the end of a turn if it is the reason or the turn id", () => {
    const ended = notification("agent_turn_completed", { reason: null, turnId: 7 });
    expect(map(working, ended)).toMatchObject([{ type: "completion", status: "completed" }]);
  });

  test("does not prevent a tool result", () => {
    const ended = notification("tool_result", { toolUseId: "c", content: null, isError: null });
    expect(map(working, ended)).toMatchObject([
      { type: "tool_call" },
      { type: "tool_result", callId: "c", output: "", isError: false },
    ]);
  });

  test("does not prevent an error from failing the turn", () => {
    const ended = [notification("error", { message: { text: "it broke" } }), end("a")];
    expect(map(working, ...ended).at(-1)).toMatchObject({ status: "failed" });
  });

  test("does not prevent a request", () => {
    const use = { id: "c", name: "Execute", input: {} };
    const request = {
      type: "request",
      method: "droid.request_permission",
      id: "r",
      params: { toolUses: [{ toolUse: use }], options: [{ label: null, value: "proceed_once" }] },
    };
    expect(map(working, request).at(-1)).toMatchObject({
      type: "request",
      options: [{ id: "proceed_once", label: "proceed_once" }],
    });
  });

  test("does not prevent the end of a one-shot `droid exec`", () => {
    expect(map({ type: "completion", finalText: null, usage: null })).toMatchObject([
      { type: "completion", status: "completed" },
    ]);
    const failed = { type: "result", is_error: true, result: null, session_id: null, usage: 7 };
    expect(map(failed)).toMatchObject([{ status: "failed", error: { message: "error" } }]);
  });
});

describe("tool call", () => {
  const use = { type: "tool_use", id: "c", name: "Execute", input: { command: "ls" } };
  const begun = notification("tool_call", { toolUse: { ...use, input: {} } });
  const complete = notification("tool_call", { toolUse: use });
  const call = {
    type: "tool_call",
    callId: "c",
    name: "Execute",
    kind: "execute",
    input: use.input,
  };

  test("is emitted at the first message that shows that its input is complete", () => {
    const phase = notification("tool_execution_phase_changed", {
      toolUseId: "c",
      toolName: "Execute",
    });
    const message = notification("create_message", {
      message: { id: "m", role: "assistant", content: [use] },
    });
    for (const sign of [phase, message])
      expect(map(working, begun, complete, sign, phase)).toEqual([call]);
    expect(types(map(working, begun, complete, result, result))).toEqual([
      "tool_call",
      "tool_result",
    ]);
  });

  test("is named unknown if only its result arrives", () => {
    expect(map(working, result)).toMatchObject([{ name: "unknown" }, { output: "done" }]);
  });
});
