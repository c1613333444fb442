import { expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { describeMapper } from "../../../testing/describe-mapper.ts";
import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import { readError } from "../messages.ts";
import { AcpMapper } from "./events.ts";
import { failureOf } from "./failure.ts";

describeMapper(new URL("../fixtures/", import.meta.url), () => new AcpMapper());

const update = (sessionUpdate: string, fields: object = {}) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "s", update: { sessionUpdate, ...fields } },
});
const chunk = (text: string, messageId?: string) =>
  update("agent_message_chunk", { messageId, content: { type: "text", text } });

/** Maps messages in the first turn of an open session. */
function map(...messages: unknown[]): EventDraft[] {
  const mapper = new AcpMapper({ isOpen: () => true });
  mapper.begin("t", 1_000_001);
  return messages.flatMap((message) => mapper.map(message));
}

test("ignores messages and tool calls before the session is open, but not the mode", () => {
  let isOpen = false;
  const mapper = new AcpMapper({ isOpen: () => isOpen });
  expect(mapper.map(chunk("old"))).toEqual([]);
  expect(mapper.map(update("tool_call", { toolCallId: "c", status: "completed" }))).toEqual([]);
  expect(mapper.map(update("current_mode_update", { currentModeId: "ask" }))).toHaveLength(1);
  isOpen = true;
  mapper.begin("t", 1_000_001);
  expect(mapper.map(chunk("new"))).toMatchObject([{ type: "delta", text: "new" }]);
});

test("emits a tool call once, when its input is complete, and its result once", () => {
  const call = (fields: object) => update("tool_call_update", { toolCallId: "c", ...fields });
  const drafts = map(
    call({ name: "Write", kind: "edit", status: "pending", rawInput: {} }),
    call({ rawInput: { path: "a" } }),
    call({ rawInput: { path: "a", content: "x" } }),
    chunk("Well."),
    call({ status: "completed", content: [] }),
    call({ status: "failed" }),
  );
  expect(drafts).toMatchObject([
    { type: "tool_call", name: "Write", kind: "edit", input: { path: "a", content: "x" } },
    { type: "delta" },
    { type: "message" },
    { type: "tool_result", callId: "c", isError: false },
  ]);
});

test("starts a new message after a tool call if messages have no ids", () => {
  const drafts = map(
    chunk("a"),
    chunk("b"),
    update("tool_call", { toolCallId: "c", status: "in_progress" }),
    chunk("c"),
  );
  const names = drafts.flatMap((draft) => (draft.type === "delta" ? [draft.messageId] : []));
  expect(names).toEqual(["t/1", "t/1", "t/2"]);
});

test("starts a new message if the agent repeats a message id", () => {
  const thought = update("agent_thought_chunk", {
    messageId: "m",
    content: { type: "text", text: "hm" },
  });
  const drafts = map(chunk("a", "m"), thought, chunk("b", "m"));
  expect(drafts.filter(({ type }) => type === "delta")).toMatchObject([
    { messageId: "t/m", channel: "text" },
    { messageId: "t/m", channel: "reasoning" },
    { messageId: "t/m#2", channel: "text" },
  ]);
});

test("emits a retry and a new message if the text is replaced", () => {
  const whole = (text: string) =>
    update("agent_message", { messageId: "m", content: [{ type: "text", text }] });
  expect(map(chunk("one", "m"), whole("one two"), whole("three"))).toMatchObject([
    { type: "delta", text: "one", messageId: "t/m" },
    { type: "delta", text: " two", messageId: "t/m" },
    { type: "system", subtype: "retry" },
    { type: "delta", text: "three", messageId: "t/m#2" },
  ]);
});

test("counts cached tokens once, even if the agent includes them in the input", () => {
  const usage = { inputTokens: 10, outputTokens: 2, cachedReadTokens: 6 };
  const end = (totalTokens: number) =>
    map({ id: 1_000_001, result: { stopReason: "end_turn", usage: { ...usage, totalTokens } } });
  expect(end(12)).toMatchObject([{ usage: { inputTokens: 4, cacheReadTokens: 6 } }]);
  expect(end(18)).toMatchObject([{ usage: { inputTokens: 10, cacheReadTokens: 6 } }]);
});

test("computes each turn's cost from the session's running total", () => {
  const cost = (amount: number) =>
    update("usage_update", { used: 1, size: 2, cost: { amount, currency: "USD" } });
  const mapper = new AcpMapper({ isOpen: () => true });
  const spent: unknown[] = [];
  for (const [at, amount] of [0.25, 0.75].entries()) {
    mapper.begin(`t${at}`, 1_000_001 + at);
    mapper.map(cost(amount));
    const [end] = mapper.map({ id: 1_000_001 + at, result: { stopReason: "end_turn" } });
    spent.push(end?.type === "completion" && end.usage?.costUsd);
  }
  expect(spent).toEqual([0.25, 0.5]);
});

test("ignores the idle state of a session that was not running", () => {
  const idle = update("state_update", { state: "idle", stopReason: "end_turn" });
  expect(map(idle)).toEqual([]);
  expect(map(update("state_update", { state: "running" }), idle, idle)).toMatchObject([
    { type: "completion", status: "completed" },
  ]);
});

test.each([
  [{ stopReason: { kind: "end_turn" } }, { status: "completed", stopReason: "end_turn" }],
  [
    { stopReason: "end_turn", usage: "much" },
    { status: "completed", stopReason: "end_turn" },
  ],
  [
    { stopReason: 7, error: null },
    { status: "completed", stopReason: "end_turn" },
  ],
  [{ error: "the model said no" }, { status: "failed", error: { message: "the model said no" } }],
  [
    { error: { code: "E1", message: "the model said no" } },
    { status: "failed", error: { message: "the model said no" } },
  ],
  [{ error: [] }, { status: "failed" }],
])(
  "ends the turn when the session becomes idle, even if fields are malformed: %j",
  (fields, end) => {
    const messages = [{ state: "running" }, { state: "idle", ...fields }];
    const drafts = map(...messages.map((message) => update("state_update", message)));
    expect(drafts).toMatchObject([{ type: "completion", ...end }]);
  },
);

test("ends a call whose update has malformed fields", () => {
  const odd = { title: 7, kind: {}, content: "done", locations: [{ path: null }], name: [] };
  const drafts = map(update("tool_call", { toolCallId: "c", status: "completed", ...odd }));
  expect(drafts).toMatchObject([
    { type: "tool_call", callId: "c", kind: "other" },
    { type: "tool_result", callId: "c", isError: false },
  ]);
});

test("maps a permission request with malformed fields", () => {
  const params = {
    sessionId: "s",
    title: 7,
    subject: null,
    toolCall: { toolCallId: "c", name: "Write", content: "x" },
    options: [
      { optionId: "yes", name: null, kind: "allow_once" },
      { optionId: "no", kind: null },
    ],
  };
  const drafts = map({ id: 1, method: "session/request_permission", params });
  expect(drafts.at(-1)).toMatchObject({
    type: "request",
    tool: { name: "Write" },
    options: [
      { id: "yes", label: "yes", decision: "allow" },
      { id: "no", label: "no", decision: "deny" },
    ],
  });
});

test.each([
  [
    { code: -32603, message: "Internal error: Agent error", data: "400 no such thing" },
    "Agent error: 400 no such thing",
  ],
  [{ code: -32603, message: "Internal error", data: { details: "no rollout" } }, "no rollout"],
  [{ code: -32603, message: '{"error":{"message":"no such thing"}}' }, "no such thing"],
  [{ code: -32603 }, "The agent failed without giving a reason. Send the message again."],
  [{ code: -32603, message: null, data: { details: "the model said no" } }, "the model said no"],
  [{ code: null, message: "the model said no", data: null }, "the model said no"],
  ["the model said no", "the model said no"],
])("extracts the message from the error %j", (error, message) => {
  expect(map({ id: 1_000_001, error })).toMatchObject([{ status: "failed", error: { message } }]);
});

test("extracts the details from a JsonRpcError without a message", () => {
  const error = { code: -32603, message: null, data: { details: "the model said no" } };
  expect(failureOf(readError(JsonRpcError.from(error))).message).toContain("the model said no");
});

test("counts a buffered call as late if a later message causes its draft", () => {
  const mapper = new AcpMapper({ isOpen: () => true });
  mapper.begin("t", 1_000_001);
  const lateAfter = (message: unknown) => [mapper.map(message).length, mapper.late];
  expect(lateAfter(update("tool_call", { toolCallId: "c", status: "pending" }))).toEqual([0, 0]);
  expect(lateAfter(chunk("Well."))).toEqual([2, 1]);
  const second = { toolCallId: "d", status: "in_progress" };
  expect(lateAfter(update("tool_call", second))).toEqual([2, 0]);
});
