import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../core/draft.ts";
import { createMapper } from "./events.ts";
import { NativeTurn } from "./native-turn.ts";

function notification(type: string, fields: Record<string, unknown> = {}) {
  return {
    type: "notification",
    method: "droid.session_notification",
    params: { notification: { type, ...fields } },
  };
}

const usage = { inputTokens: 1, outputTokens: 1 };
const taken = (id: string) => ({ type: "response", id: `message:${id}`, result: {} });
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

describe("a turn", () => {
  test("is not ended by idleness", () => {
    expect(types(map(taken("a"), working, echo("a"), idle, delta))).toEqual(["delta"]);
  });

  test("has nothing to do with what comes after its end and before the next", () => {
    const drafts = map(
      taken("a"),
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

  test("is not ended by the end of another", () => {
    const drafts = map(taken("a"), working, echo("a"), end("b", "error"), delta, end("a"));
    expect(types(drafts)).toEqual(["warning", "delta", "completion"]);
  });

  test("goes on while a message waits that Droid has taken", () => {
    const first = [taken("a"), working, echo("a"), taken("b")];
    const drafts = map(...first, end("a"), idle, working, echo("b"), delta, end("b"));
    expect(drafts.at(-1)).toMatchObject({
      type: "completion",
      usage: { inputTokens: 2, outputTokens: 2 },
    });
    expect(types(drafts)).toEqual(["delta", "completion"]);
  });

  test("does not wait for a message that was dropped, or after it was cancelled", () => {
    const first = [taken("a"), working, echo("a"), taken("b")];
    const dropped = notification("queued_messages_discarded", {
      text: "x",
      requestId: "message:b",
    });
    expect(types(map(...first, dropped, end("a")))).toEqual(["warning", "completion"]);
    expect(types(map(...first, end("a", "cancelled")))).toEqual(["completion"]);
  });

  test("goes on while a message is on its way, although Droid says only after the end that it has it", () => {
    const turn = new NativeTurn();
    const mapper = createMapper({ turn });
    const tell = (...messages: unknown[]) =>
      types(messages.flatMap((message) => mapper.map(message)));
    tell(taken("a"), working, echo("a"));
    turn.wrote("b");
    expect(tell(end("a"), taken("b"), idle)).toEqual([]);
    expect(tell(working, echo("b"), delta, end("b"))).toEqual(["delta", "completion"]);
    expect(turn.hasEnded).toBe(true);
  });

  test("is over once the message that it waited for alone comes to nothing", () => {
    const first = [taken("a"), working, echo("a"), taken("b"), end("a")];
    const dropped = notification("queued_messages_discarded", { requestId: "message:b" });
    const refused = { type: "response", id: "message:b", error: "no more room" };
    for (const loss of [dropped, refused])
      expect(map(...first, loss)).toMatchObject([
        { subtype: "warning" },
        { type: "completion", status: "completed", usage },
      ]);
  });

  test("may be cancelled before Droid has begun with the message that it waited for", () => {
    const first = [taken("a"), working, echo("a"), taken("b"), end("a"), working];
    expect(types(map(...first, end("b", "cancelled")))).toEqual(["completion"]);
  });

  test("may be cancelled before Droid has said a thing", () => {
    expect(map(taken("a"), working, end("a", "cancelled"))).toMatchObject([
      { type: "completion", status: "cancelled" },
    ]);
  });

  test("that ends with an error has failed, whatever the reason says", () => {
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
  ])("that ended for the reason %s is %s", (reason, status, stopReason) => {
    expect(map(working, end("a", reason))).toMatchObject([
      { status, ...(stopReason && { stopReason }) },
    ]);
  });

  test("costs what it added to the total where that is all that is told", () => {
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

describe("what has an odd shape", () => {
  const odd = [
    null,
    "many",
    { inputTokens: null, outputTokens: 1 },
    { inputTokens: -1, outputTokens: 1 },
    { inputTokens: 1.5, outputTokens: 1 },
  ];

  test.each(odd)("does not keep a turn from its end where it is what that cost: %j", (cost) => {
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

  test("is left out of what a turn cost, and the rest of it counts", () => {
    const fields = { tokenUsage: { ...usage, cacheReadTokens: null, thinkingTokens: 2 } };
    expect(map(working, end("a", "completed", fields))).toMatchObject([
      { status: "completed", usage: { ...usage, reasoningTokens: 2 } },
    ]);
  });

  test("does not keep a turn from its end where it is the reason for that, or the turn's name", () => {
    const ended = notification("agent_turn_completed", { reason: null, turnId: 7 });
    expect(map(working, ended)).toMatchObject([{ type: "completion", status: "completed" }]);
  });

  test("does not keep a tool from its result", () => {
    const ended = notification("tool_result", { toolUseId: "c", content: null, isError: null });
    expect(map(working, ended)).toMatchObject([
      { type: "tool_call" },
      { type: "tool_result", callId: "c", output: "", isError: false },
    ]);
  });

  test("does not keep an error from failing the turn", () => {
    const ended = [notification("error", { message: { text: "it broke" } }), end("a")];
    expect(map(working, ...ended).at(-1)).toMatchObject({ status: "failed" });
  });

  test("does not keep a request from being asked", () => {
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

  test("does not keep a single `droid exec` from its end", () => {
    expect(map({ type: "completion", finalText: null, usage: null })).toMatchObject([
      { type: "completion", status: "completed" },
    ]);
    const failed = { type: "result", is_error: true, result: null, session_id: null, usage: 7 };
    expect(map(failed)).toMatchObject([{ status: "failed", error: { message: "error" } }]);
  });
});

describe("a tool", () => {
  const use = { type: "tool_use", id: "c", name: "Execute", input: { command: "ls" } };
  const begun = notification("tool_call", { toolUse: { ...use, input: {} } });
  const whole = notification("tool_call", { toolUse: use });
  const call = {
    type: "tool_call",
    callId: "c",
    name: "Execute",
    kind: "execute",
    input: use.input,
  };

  test("is told of when its input is whole, by whatever comes first", () => {
    const phase = notification("tool_execution_phase_changed", {
      toolUseId: "c",
      toolName: "Execute",
    });
    const message = notification("create_message", {
      message: { id: "m", role: "assistant", content: [use] },
    });
    for (const sign of [phase, message])
      expect(map(working, begun, whole, sign, phase)).toEqual([call]);
    expect(types(map(working, begun, whole, result, result))).toEqual(["tool_call", "tool_result"]);
  });

  test("of which only the result is heard is called unknown", () => {
    expect(map(working, result)).toMatchObject([{ name: "unknown" }, { output: "done" }]);
  });
});
