import { expect, test } from "vitest";
import type { EventDraft } from "../../core/draft.ts";
import { describeMapper } from "../../testing/describe-mapper.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { AcpMapper } from "./events.ts";
import { failureOf } from "./failure.ts";
import { readError } from "./messages.ts";

describeMapper(new URL("./fixtures/", import.meta.url), () => new AcpMapper());

const update = (sessionUpdate: string, fields: object = {}) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "s", update: { sessionUpdate, ...fields } },
});
const chunk = (text: string, messageId?: string) =>
  update("agent_message_chunk", { messageId, content: { type: "text", text } });

/** In the first turn of an open session. */
function tell(...messages: unknown[]): EventDraft[] {
  const mapper = new AcpMapper({ isOpen: () => true });
  mapper.begin("t", 1_000_001);
  return messages.flatMap((message) => mapper.map(message));
}

test("what is told before a session is open is its history, but for how the session is", () => {
  let isOpen = false;
  const mapper = new AcpMapper({ isOpen: () => isOpen });
  expect(mapper.map(chunk("old"))).toEqual([]);
  expect(mapper.map(update("tool_call", { toolCallId: "c", status: "completed" }))).toEqual([]);
  expect(mapper.map(update("current_mode_update", { currentModeId: "ask" }))).toHaveLength(1);
  isOpen = true;
  mapper.begin("t", 1_000_001);
  expect(mapper.map(chunk("new"))).toMatchObject([{ type: "delta", text: "new" }]);
});

test("a call is told once it is whole, and its result once", () => {
  const call = (fields: object) => update("tool_call_update", { toolCallId: "c", ...fields });
  const drafts = tell(
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

test("messages without names are told apart by what comes between them", () => {
  const drafts = tell(
    chunk("a"),
    chunk("b"),
    update("tool_call", { toolCallId: "c", status: "in_progress" }),
    chunk("c"),
  );
  const names = drafts.flatMap((draft) => (draft.type === "delta" ? [draft.messageId] : []));
  expect(names).toEqual(["t/1", "t/1", "t/2"]);
});

test("a name that is used again is that of another message", () => {
  const thought = update("agent_thought_chunk", {
    messageId: "m",
    content: { type: "text", text: "hm" },
  });
  const drafts = tell(chunk("a", "m"), thought, chunk("b", "m"));
  expect(drafts.filter(({ type }) => type === "delta")).toMatchObject([
    { messageId: "t/m", channel: "text" },
    { messageId: "t/m", channel: "reasoning" },
    { messageId: "t/m#2", channel: "text" },
  ]);
});

test("a message that is told anew is another one", () => {
  const whole = (text: string) =>
    update("agent_message", { messageId: "m", content: [{ type: "text", text }] });
  expect(tell(chunk("one", "m"), whole("one two"), whole("three"))).toMatchObject([
    { type: "delta", text: "one", messageId: "t/m" },
    { type: "delta", text: " two", messageId: "t/m" },
    { type: "system", subtype: "retry" },
    { type: "delta", text: "three", messageId: "t/m#2" },
  ]);
});

test("what came from a cache is counted once, whether or not the agent counts it as input too", () => {
  const usage = { inputTokens: 10, outputTokens: 2, cachedReadTokens: 6 };
  const end = (totalTokens: number) =>
    tell({ id: 1_000_001, result: { stopReason: "end_turn", usage: { ...usage, totalTokens } } });
  expect(end(12)).toMatchObject([{ usage: { inputTokens: 4, cacheReadTokens: 6 } }]);
  expect(end(18)).toMatchObject([{ usage: { inputTokens: 10, cacheReadTokens: 6 } }]);
});

test("money is told by the turn, though agents tell it by the session", () => {
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

test("an idle session that was not at work ends nothing", () => {
  const idle = update("state_update", { state: "idle", stopReason: "end_turn" });
  expect(tell(idle)).toEqual([]);
  expect(tell(update("state_update", { state: "running" }), idle, idle)).toMatchObject([
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
])("a session that is idle has ended its turn, whatever it says of that: %j", (fields, end) => {
  const messages = [{ state: "running" }, { state: "idle", ...fields }];
  const drafts = tell(...messages.map((message) => update("state_update", message)));
  expect(drafts).toMatchObject([{ type: "completion", ...end }]);
});

test("a call ends, whatever else is said of it", () => {
  const odd = { title: 7, kind: {}, content: "done", locations: [{ path: null }], name: [] };
  const drafts = tell(update("tool_call", { toolCallId: "c", status: "completed", ...odd }));
  expect(drafts).toMatchObject([
    { type: "tool_call", callId: "c", kind: "other" },
    { type: "tool_result", callId: "c", isError: false },
  ]);
});

test("permission is asked for, whatever is said around it", () => {
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
  const drafts = tell({ id: 1, method: "session/request_permission", params });
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
  [{ code: -32603 }, "the agent failed and did not say why"],
  [{ code: -32603, message: null, data: { details: "the model said no" } }, "the model said no"],
  [{ code: null, message: "the model said no", data: null }, "the model said no"],
  ["the model said no", "the model said no"],
])("%j is told in plain words", (error, message) => {
  expect(tell({ id: 1_000_001, error })).toMatchObject([{ status: "failed", error: { message } }]);
});

test("the agent's words are found in an error without a message, as whoever asked gets it", () => {
  const error = { code: -32603, message: null, data: { details: "the model said no" } };
  expect(failureOf(readError(JsonRpcError.from(error))).message).toContain("the model said no");
});

test("a call that was held back is marked as late, and one that its own message completes is not", () => {
  const mapper = new AcpMapper({ isOpen: () => true });
  mapper.begin("t", 1_000_001);
  const lateAfter = (message: unknown) => [mapper.map(message).length, mapper.late];
  expect(lateAfter(update("tool_call", { toolCallId: "c", status: "pending" }))).toEqual([0, 0]);
  expect(lateAfter(chunk("Well."))).toEqual([2, 1]);
  const second = { toolCallId: "d", status: "in_progress" };
  expect(lateAfter(update("tool_call", second))).toEqual([2, 0]);
});
