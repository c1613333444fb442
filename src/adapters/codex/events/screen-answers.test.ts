import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { createMapper } from "./events.ts";

function map(messages: readonly unknown[], mapper = createMapper()): EventDraft[] {
  return messages.flatMap((message) => mapper.map(message));
}

const thread = { threadId: "t" };
const started = (id: string) => ({
  method: "turn/started",
  params: { ...thread, turn: { id } },
});
const item = (phase: "started" | "completed", turnId: string, content: object) => ({
  method: `item/${phase}`,
  params: { ...thread, turnId, item: content },
});

test.each([
  ["permission-allowed", ["allow", "allow"]],
  ["permission-denied", ["deny", "deny"]],
  ["permission-interrupted", []],
  ["mcp", ["allow", "allow"]],
  ["question", ["allow", "allow"]],
])("reports how each request in the fixture %s was answered", (name, expected) => {
  const text = readFileSync(new URL(`../fixtures/${name}.jsonl`, import.meta.url), "utf8");
  const drafts = map(
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  const asked = drafts.flatMap((draft) => (draft.type === "request" ? [draft.nativeId] : []));
  const settled = drafts.filter((draft) => draft.type === "settled");
  expect(settled.map(({ decision }) => decision)).toEqual(expected);
  if (expected.length > 0) expect(settled.map(({ nativeId }) => nativeId)).toEqual(asked);
});

const asking = { method: "item/commandExecution/requestApproval", id: 7 };
const command = { type: "commandExecution", id: "call_1", command: "make" };
const asked = [
  started("one"),
  item("started", "one", command),
  { ...asking, params: { ...thread, turnId: "one", itemId: "call_1", command: "make" } },
];

test("reports a command as allowed exactly once, when Codex lists it as running", () => {
  const mapper = createMapper();
  map(asked, mapper);
  const resolved = { method: "serverRequest/resolved", params: { ...thread, requestId: 7 } };
  const list = (...itemIds: string[]) => ({
    id: 1,
    result: { data: itemIds.map((itemId) => ({ itemId, processId: "9" })) },
  });
  expect(map([resolved, list(), list("call_0")], mapper)).toEqual([]);
  const allowed = { type: "settled", nativeId: "7", decision: "allow" };
  expect(map([list("call_0", "call_1"), list("call_1")], mapper)).toEqual([allowed]);
});

test("reports a command as allowed if it prints the word declined", () => {
  const ended = { ...command, status: "failed", aggregatedOutput: "declined", exitCode: 1 };
  expect(map([...asked, item("completed", "one", ended)]).slice(-2)).toMatchObject([
    { type: "settled", decision: "allow" },
    { type: "tool_result", isError: true, output: "declined" },
  ]);
});

test("reports an MCP call that the user rejects as denied", () => {
  const call = { type: "mcpToolCall", id: "call_2", server: "calc", tool: "add" };
  const error = { message: "user rejected MCP tool call" };
  const elicitation = {
    method: "mcpServer/elicitation/request",
    id: 8,
    params: {
      ...thread,
      turnId: "one",
      serverName: "calc",
      _meta: { codex_approval_kind: "mcp_tool_call" },
    },
  };
  const drafts = map([
    started("one"),
    item("started", "one", { ...call, status: "inProgress" }),
    elicitation,
    item("completed", "one", { ...call, status: "failed", error }),
  ]);
  expect(drafts.slice(-2)).toMatchObject([
    { type: "settled", decision: "deny" },
    { type: "tool_result", isError: true, output: "user rejected MCP tool call" },
  ]);
});
