import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { EventDraft, Mapper } from "../../../contracts/event-draft.ts";
import { describeMapper } from "../../../testing/describe-mapper.ts";
import { ClaudeMapper, createMapper } from "./events.ts";

describe("Claude's mapper", () => {
  const twice = ["cancel-in-text", "cancel-in-tool", "resumed", "two-turns"];
  const files = twice.flatMap((name) => [`2.1.197-${name}.jsonl`, `2.1.325-${name}.jsonl`]);
  describeMapper(new URL("../fixtures/", import.meta.url), createMapper, {
    turns: {
      ...Object.fromEntries(files.map((name) => [name, 2])),
      "2.1.325-steered-too-late-for-the-model.jsonl": 2,
    },
  });
});

function map(mapper: Mapper, ...messages: unknown[]): EventDraft[] {
  return messages.flatMap((message) => mapper.map(message));
}

function recorded(name: string): unknown[] {
  const text = readFileSync(new URL(`../fixtures/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const init = { type: "system", subtype: "init", session_id: "s" };
const success = { type: "result", subtype: "success", is_error: false, result: "" };
const lifecycle = (command_uuid: string, state: string) => ({
  type: "command_lifecycle",
  command_uuid,
  state,
});
const turnStart = (...user_message_uuids: string[]) => ({ ...init, user_message_uuids });
const assistant = (uuid: string, text: string) => ({
  type: "assistant",
  uuid,
  message: { id: uuid, content: [{ type: "text", text }] },
});
const messageDrafts = (messageId: string, text: string): EventDraft[] => [
  { type: "delta", channel: "text", messageId, text },
  { type: "message", role: "assistant", channel: "text", messageId, text },
];
const noUsage = { inputTokens: 0, outputTokens: 0 };
const done = { type: "completion", status: "completed", stopReason: "end_turn", usage: noUsage };
const isNotSystem = ({ type }: EventDraft) => type !== "system";

describe("the end of a turn", () => {
  test("is a failure if the model failed, although Claude reports success", () => {
    const failed = {
      ...success,
      is_error: true,
      api_error_status: 400,
      result: "API Error: 400 no",
    };
    const error = { ...assistant("e", "API Error: 400 no"), error: "invalid_request" };
    expect(map(createMapper(), init, error, failed).filter(isNotSystem)).toEqual([
      {
        type: "completion",
        status: "failed",
        usage: noUsage,
        error: { code: "agent_failed", message: "API Error: 400 no", retryable: false },
      },
    ]);
  });

  test("is `not_signed_in` for a missing login or a rejected key, but not for other model errors", () => {
    const error = { ...assistant("e", "no"), error: "authentication_failed" };
    const code = (status: number | null) =>
      map(createMapper(), init, error, { ...success, is_error: true, api_error_status: status })
        .filter((draft) => draft.type === "completion")
        .map((draft) => draft.error?.code);
    expect([code(null), code(401), code(500)]).toEqual([
      ["not_signed_in"],
      ["not_signed_in"],
      ["agent_failed"],
    ]);
  });

  test("is a cancellation without Claude's diagnostics if the turn was interrupted", () => {
    const aborted = {
      terminal_reason: "aborted_tools",
      errors: ["[ede_diagnostic] result_type=user"],
    };
    const result = {
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      ...aborted,
    };
    expect(map(createMapper(), init, result).filter(isNotSystem)).toEqual([
      { type: "completion", status: "cancelled", usage: noUsage },
    ]);
  });

  test("includes text that no message contained, such as a hook's output", () => {
    const result = { ...success, result: "blocked by a hook" };
    expect(map(createMapper(), init, result).at(-1)).toEqual({
      ...done,
      text: "blocked by a hook",
    });
  });

  test("makes the mapper map later messages to raw drafts", () => {
    const mapper = createMapper();
    map(mapper, init, assistant("a", "Hello."), success);
    for (const late of [
      assistant("b", "more"),
      success,
      { type: "stream_event", event: { type: "x" } },
    ])
      expect(mapper.map(late)).toEqual([
        { type: "system", subtype: "raw", data: { message: late } },
      ]);
  });

  test("computes the turn's cost from Claude's running total", () => {
    const mapper = createMapper();
    const usage = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 5 };
    const costs = [0.5, 0.75].map((total_cost_usd) =>
      map(mapper, init, { ...success, usage, total_cost_usd }).at(-1),
    );
    const tokens = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 5 };
    expect(costs).toMatchObject([
      { usage: { ...tokens, costUsd: 0.5 } },
      { usage: { ...tokens, costUsd: 0.25 } },
    ]);
  });

  test("omits the cost if the previous running total is unknown", () => {
    const mapper = new ClaudeMapper({ live: true, fromStart: false });
    expect(map(mapper, init, { ...success, total_cost_usd: 0.5 }).at(-1)).toEqual(done);
  });
});

describe("a turn that Claude starts on its own", () => {
  test("is not part of the session, and does not end the turn of a queued message", () => {
    const mapper = new ClaudeMapper({ live: true });
    map(mapper, lifecycle("1", "queued"), lifecycle("1", "started"), turnStart("1"), success);
    const other = map(mapper, init, lifecycle("2", "queued"), assistant("x", "by itself"), success);
    expect(other.filter(isNotSystem)).toEqual([]);
    const own = map(
      mapper,
      lifecycle("2", "started"),
      turnStart("2"),
      assistant("y", "Hello."),
      success,
    );
    expect(own.filter(isNotSystem)).toEqual([...messageDrafts("y", "Hello."), done]);
  });

  test("becomes one of the session's turns when Claude starts to work on a queued message in it", () => {
    const mapper = new ClaudeMapper({ live: true });
    map(mapper, lifecycle("1", "queued"), lifecycle("1", "started"), turnStart("1"), success);
    map(mapper, init, lifecycle("2", "queued"), assistant("x", "by itself"));
    const own = map(mapper, lifecycle("2", "started"), assistant("y", "Hello."), success);
    expect(own.filter(isNotSystem)).toEqual([...messageDrafts("y", "Hello."), done]);
  });

  test("is also separated in a native log", () => {
    const drafts = map(createMapper(), ...recorded("unasked/2.1.325-background-subagent"));
    const ends = drafts.filter(({ type }) => type === "completion");
    expect(ends).toMatchObject([{ status: "completed" }]);
    const after = drafts.slice(drafts.findIndex(({ type }) => type === "completion") + 1);
    expect(after.filter(isNotSystem)).toEqual([]);
    expect(JSON.stringify(after)).toContain("task-notification");
  });
});

describe("a message for an active turn", () => {
  const mapper = () => {
    const live = new ClaudeMapper({ live: true });
    map(
      live,
      lifecycle("1", "queued"),
      lifecycle("1", "started"),
      turnStart("1"),
      assistant("a", "One."),
    );
    map(live, lifecycle("2", "queued"), lifecycle("3", "queued"));
    return live;
  };

  test("keeps the turn open until Claude has processed it", () => {
    const live = mapper();
    const usage = { input_tokens: 1, output_tokens: 2 };
    expect(map(live, { ...success, result: "One.", usage })).toEqual([]);
    const rest = [
      lifecycle("2", "started"),
      lifecycle("3", "started"),
      turnStart("2", "3"),
      assistant("b", "Two."),
    ];
    const drafts = map(live, ...rest, { ...success, result: "Two.", usage });
    const both = { inputTokens: 2, outputTokens: 4 };
    expect(drafts.filter(isNotSystem)).toEqual([
      ...messageDrafts("b", "Two."),
      { ...done, usage: both },
    ]);
  });

  test("produces no separate completion if the turn is cancelled", () => {
    const live = mapper();
    const aborted = { ...success, is_error: true, terminal_reason: "aborted_streaming" };
    expect(
      map(live, lifecycle("2", "cancelled"), lifecycle("3", "cancelled"), aborted),
    ).toMatchObject([{ type: "completion", status: "cancelled" }]);
  });

  test("releases the held completion when the last queued message is withdrawn", () => {
    const live = mapper();
    expect(map(live, success, lifecycle("2", "cancelled"))).toEqual([]);
    expect(live.map(lifecycle("3", "cancelled"))).toEqual([done]);
  });

  test("does not become a turn if it arrives after the active turn has ended", () => {
    const live = mapper();
    map(live, lifecycle("2", "cancelled"), lifecycle("3", "cancelled"), success);
    live.disown("4");
    const stray = [
      lifecycle("4", "queued"),
      lifecycle("4", "started"),
      turnStart("4"),
      assistant("x", "stray"),
      success,
    ];
    expect(map(live, ...stray).filter(isNotSystem)).toEqual([]);
  });

  test("is mapped to a separate turn in a native log, but not on a live connection", () => {
    const messages = recorded("2.1.325-steered-too-late-for-the-model");
    const ends = (mapper: Mapper) =>
      map(mapper, ...messages).filter(({ type }) => type === "completion").length;
    expect([ends(createMapper()), ends(new ClaudeMapper({ live: true }))]).toEqual([2, 1]);
  });
});

test("maps repeated messages once", () => {
  const call = { type: "tool_use", id: "c", name: "Bash", input: {} };
  const use = { type: "assistant", uuid: "u", message: { id: "m", content: [call] } };
  const request = { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "c" };
  const ask = { type: "control_request", request_id: "r", request };
  const answer = { type: "tool_result", tool_use_id: "c", content: "done" };
  const result = { type: "user", message: { content: [answer] } };
  const once = [assistant("a", "Hello."), use, ask, result];
  const types = map(createMapper(), init, ...once.flatMap((message) => [message, message]))
    .filter(isNotSystem)
    .map(({ type }) => type);
  expect(types).toEqual(["delta", "message", "tool_call", "request", "tool_result"]);
});

test("cancels a message's turn if the message is withdrawn before Claude starts it", () => {
  const mapper = new ClaudeMapper({ live: true });
  expect(map(mapper, lifecycle("1", "queued"), lifecycle("1", "cancelled"))).toEqual([
    { type: "completion", status: "cancelled" },
  ]);
});

test("includes the plan from Claude's plan file in the request to leave plan mode", () => {
  const use = (id: string, name: string, input: unknown) => ({
    type: "assistant",
    message: { id, content: [{ type: "tool_use", id, name, input }] },
  });
  const write = { file_path: "/home/user/.claude/plans/a-b-c.md", content: "1. do it" };
  const ask = { subtype: "can_use_tool", tool_name: "ExitPlanMode", tool_use_id: "2", input: {} };
  const drafts = map(
    createMapper(),
    { ...init, permissionMode: "plan" },
    use("1", "Write", write),
    use("2", "ExitPlanMode", {}),
    { type: "control_request", request_id: "r", request: ask },
  );
  expect(drafts.at(-2)).toEqual({ type: "system", subtype: "plan", text: "1. do it" });
  expect(drafts.at(-1)).toMatchObject({
    kind: "question",
    callId: "2",
    text: expect.stringContaining("1. do it"),
  });
});

test("reports the new session id after /clear", () => {
  const mapper = createMapper();
  map(mapper, init, success);
  expect(map(mapper, { ...init, session_id: "t" })).toEqual([
    { type: "system", subtype: "status", data: { runtimeSessionId: "t", resumable: true } },
  ]);
});
