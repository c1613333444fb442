import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { describeMapper } from "../../../testing/describe-mapper.ts";
import { createMapper } from "./events.ts";

const fixtures = new URL("../fixtures/", import.meta.url);

describeMapper(fixtures, createMapper, {
  turns: {
    "answer.jsonl": 2,
    "background-command.jsonl": 2,
    "cancel-in-text.jsonl": 2,
    "cancel-in-tool.jsonl": 2,
    "mcp.jsonl": 2,
    "model-error.jsonl": 2,
    "permission-allowed.jsonl": 2,
    "permission-denied.jsonl": 2,
  },
});

function messagesIn(name: string): unknown[] {
  const text = readFileSync(new URL(`${name}.jsonl`, fixtures), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function map(messages: readonly unknown[], mapper = createMapper()): EventDraft[] {
  return messages.flatMap((message) => mapper.map(message));
}

/** Returns a short description of a draft. */
function brief(draft: EventDraft): string {
  switch (draft.type) {
    case "system":
      return draft.subtype;
    case "delta":
      return `${draft.channel}… ${draft.text}`;
    case "message":
      return `${draft.channel}: ${draft.text}`;
    case "tool_call":
      return `call ${draft.name}`;
    case "tool_result":
      return `${draft.isError ? "error" : "result"} ${draft.output.trim()}`;
    case "completion":
      return `${draft.status} ${draft.stopReason ?? draft.error?.code ?? ""}`.trim();
    case "request":
      return `may ${draft.tool?.name ?? draft.text}`;
    case "settled":
      return draft.decision;
    case "error":
      return `error ${draft.message}`;
  }
}

test.each([
  [
    "reasoning",
    ["reasoning… Let me see.", "reasoning: Let me see.", "text… I see.", "text: I see."],
  ],
  ["tool-error", ["call shell", "error oops", "usage", "text… Done.", "text: Done.", "usage"]],
  ["unknown-tool", ["usage", "text… Done.", "text: Done.", "usage"]],
  ["retried-message", ["text… first", "retry", "text… second", "text: second", "usage"]],
])("maps the fixture %s to drafts in order", (name, expected) => {
  expect(map(messagesIn(name)).map(brief)).toEqual(["status", ...expected, "completed end_turn"]);
});

const endedWith = (status: string) =>
  `Codex ended the turn with status "${status}". Send the message again.`;

test("reports the turn's usage, although Codex sends running totals", () => {
  const ends = map(messagesIn("answer")).filter((draft) => draft.type === "completion");
  expect(ends.map(({ usage }) => usage)).toEqual([
    { inputTokens: 11, outputTokens: 5 },
    { inputTokens: 12, outputTokens: 3 },
  ]);
});

test.each([
  ["failed", { message: "it broke", additionalDetails: { status: 500 } }, "it broke"],
  ["failed", { message: { text: "it broke" } }, endedWith("failed")],
  ["failed", "it broke", endedWith("failed")],
  [null, null, endedWith("unknown")],
])("fails a turn with status %j and the malformed error %j", (status, error, message) => {
  const params = { threadId: "t", turn: { id: "u", status, error } };
  expect(map([{ method: "turn/completed", params }])).toMatchObject([
    { type: "completion", status: "failed", error: { code: "agent_failed", message } },
  ]);
});

test("reports a partly malformed error as the reason for the failure", () => {
  const of = { threadId: "t", turnId: "u" };
  const error = { message: "it broke", additionalDetails: { status: 500 } };
  const turn = { id: "u", status: "failed", error: 7 };
  const ended = [
    { method: "error", params: { ...of, error, willRetry: null } },
    { method: "turn/completed", params: { threadId: "t", turn } },
  ];
  expect(map(ended)).toMatchObject([{ status: "failed", error: { message: "it broke" } }]);
});

test("excludes a resumed thread's previous usage from the turn's usage", () => {
  const end = map(messagesIn("resume")).at(-1);
  expect(end).toMatchObject({ status: "completed", usage: { inputTokens: 10, outputTokens: 2 } });
});

test("maps a patch to an edit with all changes in one diff", () => {
  const result = map(messagesIn("edit")).find((draft) => draft.type === "tool_result");
  expect(result?.diff).toBe(
    [
      "--- /workspace/a.txt\n+++ /workspace/a.txt\n@@ -1 +1 @@\n-one\n+two\n",
      "--- /dev/null\n+++ /workspace/b.txt\n@@ -0,0 +1 @@\n+new\n",
      "--- /workspace/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n",
    ].join(""),
  );
});

test("includes the tool, the call and the complete input in a request", () => {
  const drafts = map(messagesIn("permission-allowed"));
  const calls = drafts.filter((draft) => draft.type === "tool_call");
  const asked = drafts.filter((draft) => draft.type === "request");
  expect(asked.map(({ callId, tool }) => ({ callId, ...tool }))).toEqual(
    calls.map(({ callId, name, kind, input }) => ({ callId, name, kind, input })),
  );
  expect(calls.map(({ kind }) => kind)).toEqual(["execute", "edit"]);
});

test("maps a subagent's tool calls, but neither its messages nor its end", () => {
  expect(map(messagesIn("subagent")).map(brief)).toEqual([
    "status",
    "call spawnAgent",
    "result pendingInit",
    "usage",
    "call wait",
    "call shell",
    "may shell",
    "allow",
    "result from below",
    "usage",
    "usage",
    "result child done",
    "usage",
    "text… All done.",
    "text: All done.",
    "usage",
    "completed end_turn",
  ]);
});

test("abandons the current message when a steering message arrives", () => {
  const drafts = map(messagesIn("steer-in-text"));
  expect(drafts.filter(({ type }) => type === "message").map(brief)).toEqual(["text: I stop."]);
  expect(drafts.filter((draft) => draft.type === "system").map(brief)).toEqual(["status", "retry"]);
});

test("does not fail a command that runs longer than its turn, and reports its end outside any turn", () => {
  expect(map(messagesIn("background-command")).map(brief)).toEqual([
    "status",
    "call shell",
    "usage",
    "text… It runs.",
    "text: It runs.",
    "usage",
    "result continues in the background",
    "completed end_turn",
    "text… Hello.",
    "text: Hello.",
    "usage",
    "completed end_turn",
    "status",
  ]);
});

test("reports the model's text as the error message if the model rejects the request", () => {
  const [refused] = map(messagesIn("model-error")).filter(({ type }) => type === "completion");
  expect(refused).toMatchObject({
    status: "failed",
    error: { code: "agent_failed", message: "no such parameter" },
  });
});

const started = (id: string, threadId = "t") => ({
  method: "turn/started",
  params: { threadId, turn: { id } },
});
const completed = (id: string, threadId = "t") => ({
  method: "turn/completed",
  params: { threadId, turn: { id, status: "completed", error: null } },
});
const item = (phase: "started" | "completed", turnId: string, content: object, threadId = "t") => ({
  method: `item/${phase}`,
  params: { threadId, turnId, item: content },
});
const message = (id: string, text: string) => ({ type: "agentMessage", id, text });

test("maps a turn's late messages to raw drafts, not to the next turn", () => {
  const mapper = createMapper();
  map([started("one"), completed("one"), started("two")], mapper);
  const late = item("completed", "one", message("m", "late"));
  expect(mapper.map(late)).toEqual([{ type: "system", subtype: "raw", data: { message: late } }]);
  expect(map([completed("one")], mapper)).toEqual([]);
  expect(map([completed("two"), completed("two")], mapper).map(brief)).toEqual([
    "completed end_turn",
  ]);
});

test("treats a reused item id as a new message", () => {
  const drafts = map([
    started("one"),
    item("started", "one", message("m", "")),
    item("completed", "one", message("m", "first")),
    item("started", "one", message("m", "")),
    item("completed", "one", message("m", "second")),
    completed("one"),
  ]);
  const ids = drafts.flatMap((draft) => (draft.type === "message" ? [draft.messageId] : []));
  expect(ids).toEqual(["one/m", "one/m#2"]);
});

test("maps only the first of two concurrent turns in different threads", () => {
  const drafts = map([
    started("one"),
    started("other", "another"),
    item("completed", "other", message("m", "not ours"), "another"),
    completed("other", "another"),
    item("completed", "one", message("m", "ours")),
    completed("one"),
  ]);
  expect(drafts.filter(({ type }) => type !== "system").map(brief)).toEqual([
    "text: ours",
    "completed end_turn",
  ]);
});

test("ends a turn whose start is missing", () => {
  const drafts = map([item("completed", "one", message("m", "hi")), completed("one")]);
  expect(drafts.map(brief)).toEqual(["text: hi", "completed end_turn"]);
});

test("fails a turn without an end when the next turn starts", () => {
  const drafts = map([started("one"), started("two"), completed("two")]);
  expect(drafts.map(brief)).toEqual(["status", "failed agent_failed", "completed end_turn"]);
});

test("maps native logs from `codex exec --json`", () => {
  const usage = (input_tokens: number) => ({ input_tokens, output_tokens: 1 });
  const command = { id: "item_1", type: "command_execution", command: "false", status: "failed" };
  const drafts = map([
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "Hm." } },
    { type: "item.started", item: { ...command, status: "in_progress", exit_code: null } },
    { type: "item.completed", item: { ...command, aggregated_output: "no", exit_code: 1 } },
    { type: "turn.completed", usage: usage(11) },
    { type: "turn.started" },
    { type: "error", message: "Reconnecting... 1/5" },
    { type: "error", message: "it fell over" },
    { type: "turn.failed", error: { message: "it fell over" } },
    { type: "turn.started" },
    { type: "turn.completed", usage: usage(22) },
  ]);
  expect(drafts.map(brief)).toEqual([
    "status",
    "text: Hm.",
    "call shell",
    "error no",
    "completed end_turn",
    "retry",
    "failed agent_failed",
    "completed end_turn",
  ]);
  expect(drafts.at(-1)).toMatchObject({ usage: { inputTokens: 11, outputTokens: 0 } });
});

test.each([
  { type: "commandExecution", command: "ls", aggregatedOutput: { text: "a" }, exitCode: "0" },
  { type: "commandExecution", command: ["ls"], status: { type: "done" } },
  { type: "fileChange", changes: { "a.txt": {} } },
  { type: "mcpToolCall", server: 7, tool: null, result: "plain words", error: "boom" },
  { type: "dynamicToolCall", tool: "look", contentItems: "words", success: "yes" },
  { type: "webSearch", query: ["a"], action: "search" },
])("reports the call and the result of a tool whose fields are malformed: %j", (fields) => {
  const item = { id: "call_1", status: "completed", ...fields };
  const params = { threadId: "t", turnId: "u" };
  const started = { method: "item/started", params: { ...params, item } };
  const completed = { method: "item/completed", params: { ...params, item } };
  const turn = { method: "turn/started", params: { threadId: "t", turn: { id: "u", items: [] } } };
  const types = map([turn, started, completed]).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith("tool_"))).toEqual(["tool_call", "tool_result"]);
});
