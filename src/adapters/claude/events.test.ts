import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { EventDraft, Mapper } from "../../core/draft.ts";
import { describeMapper } from "../../testing/describe-mapper.ts";
import { ClaudeMapper, createMapper } from "./events.ts";

describe("Claude's mapper", () => {
  const twice = ["cancel-in-text", "cancel-in-tool", "resumed", "two-turns"];
  const files = twice.flatMap((name) => [`2.1.197-${name}.jsonl`, `2.1.325-${name}.jsonl`]);
  describeMapper(new URL("./fixtures/", import.meta.url), createMapper, {
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
  const text = readFileSync(new URL(`./fixtures/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const init = { type: "system", subtype: "init", session_id: "s" };
const success = { type: "result", subtype: "success", is_error: false, result: "" };
const fate = (command_uuid: string, state: string) => ({
  type: "command_lifecycle",
  command_uuid,
  state,
});
const begun = (...user_message_uuids: string[]) => ({ ...init, user_message_uuids });
const said = (uuid: string, text: string) => ({
  type: "assistant",
  uuid,
  message: { id: uuid, content: [{ type: "text", text }] },
});
const told = (messageId: string, text: string): EventDraft[] => [
  { type: "delta", channel: "text", messageId, text },
  { type: "message", role: "assistant", channel: "text", messageId, text },
];
const noUsage = { inputTokens: 0, outputTokens: 0 };
const done = { type: "completion", status: "completed", stopReason: "end_turn", usage: noUsage };
const untold = ({ type }: EventDraft) => type !== "system";

describe("the end of a turn", () => {
  test("is a failure where the model failed, though Claude calls it a success", () => {
    const failed = {
      ...success,
      is_error: true,
      api_error_status: 400,
      result: "API Error: 400 no",
    };
    const error = { ...said("e", "API Error: 400 no"), error: "invalid_request" };
    expect(map(createMapper(), init, error, failed).filter(untold)).toEqual([
      {
        type: "completion",
        status: "failed",
        usage: noUsage,
        error: { code: "agent_failed", message: "API Error: 400 no", retryable: false },
      },
    ]);
  });

  test("says that nobody is signed in only where the model was never asked", () => {
    const error = { ...said("e", "no"), error: "authentication_failed" };
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

  test("keeps the diagnostics of an interruption to itself", () => {
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
    expect(map(createMapper(), init, result).filter(untold)).toEqual([
      { type: "completion", status: "cancelled", usage: noUsage },
    ]);
  });

  test("carries words that no message had, such as those of a hook that stopped it", () => {
    const result = { ...success, result: "blocked by a hook" };
    expect(map(createMapper(), init, result).at(-1)).toEqual({
      ...done,
      text: "blocked by a hook",
    });
  });

  test("leaves nothing of the turn for the next one", () => {
    const mapper = createMapper();
    map(mapper, init, said("a", "Hello."), success);
    for (const late of [said("b", "more"), success, { type: "stream_event", event: { type: "x" } }])
      expect(mapper.map(late)).toEqual([
        { type: "system", subtype: "raw", data: { message: late } },
      ]);
  });

  test("tells what the turn cost where Claude tells only what all of them did", () => {
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

  test("does not guess a cost whose beginning it has not seen", () => {
    const mapper = new ClaudeMapper({ live: true, fromStart: false });
    expect(map(mapper, init, { ...success, total_cost_usd: 0.5 }).at(-1)).toEqual(done);
  });
});

describe("a turn that Claude begins by itself", () => {
  test("is none of ours, and does not end the one that waits", () => {
    const mapper = new ClaudeMapper({ live: true });
    map(mapper, fate("1", "queued"), fate("1", "started"), begun("1"), success);
    const other = map(mapper, init, fate("2", "queued"), said("x", "by itself"), success);
    expect(other.filter(untold)).toEqual([]);
    const ours = map(mapper, fate("2", "started"), begun("2"), said("y", "Hello."), success);
    expect(ours.filter(untold)).toEqual([...told("y", "Hello."), done]);
  });

  test("becomes ours with the first message that it takes in", () => {
    const mapper = new ClaudeMapper({ live: true });
    map(mapper, fate("1", "queued"), fate("1", "started"), begun("1"), success);
    map(mapper, init, fate("2", "queued"), said("x", "by itself"));
    const ours = map(mapper, fate("2", "started"), said("y", "Hello."), success);
    expect(ours.filter(untold)).toEqual([...told("y", "Hello."), done]);
  });

  test("is set apart in a recording, too", () => {
    const drafts = map(createMapper(), ...recorded("unasked/2.1.325-background-subagent"));
    const ends = drafts.filter(({ type }) => type === "completion");
    expect(ends).toMatchObject([{ status: "completed" }]);
    const after = drafts.slice(drafts.findIndex(({ type }) => type === "completion") + 1);
    expect(after.filter(untold)).toEqual([]);
    expect(JSON.stringify(after)).toContain("task-notification");
  });
});

describe("a message for a turn under way", () => {
  const mapper = () => {
    const live = new ClaudeMapper({ live: true });
    map(live, fate("1", "queued"), fate("1", "started"), begun("1"), said("a", "One."));
    map(live, fate("2", "queued"), fate("3", "queued"));
    return live;
  };

  test("keeps the turn open until Claude has dealt with it", () => {
    const live = mapper();
    const usage = { input_tokens: 1, output_tokens: 2 };
    expect(map(live, { ...success, result: "One.", usage })).toEqual([]);
    const rest = [fate("2", "started"), fate("3", "started"), begun("2", "3"), said("b", "Two.")];
    const drafts = map(live, ...rest, { ...success, result: "Two.", usage });
    const both = { inputTokens: 2, outputTokens: 4 };
    expect(drafts.filter(untold)).toEqual([...told("b", "Two."), { ...done, usage: both }]);
  });

  test("ends with the turn that is cancelled", () => {
    const live = mapper();
    const aborted = { ...success, is_error: true, terminal_reason: "aborted_streaming" };
    expect(map(live, fate("2", "cancelled"), fate("3", "cancelled"), aborted)).toMatchObject([
      { type: "completion", status: "cancelled" },
    ]);
  });

  test("that is withdrawn after all lets the turn end as it did", () => {
    const live = mapper();
    expect(map(live, success, fate("2", "cancelled"))).toEqual([]);
    expect(live.map(fate("3", "cancelled"))).toEqual([done]);
  });

  test("that came too late has nothing to do with the next turn", () => {
    const live = mapper();
    map(live, fate("2", "cancelled"), fate("3", "cancelled"), success);
    live.disown("4");
    const stray = [
      fate("4", "queued"),
      fate("4", "started"),
      begun("4"),
      said("x", "stray"),
      success,
    ];
    expect(map(live, ...stray).filter(untold)).toEqual([]);
  });

  test("is told as a turn of its own in a recording, where nobody knows what it was for", () => {
    const messages = recorded("2.1.325-steered-too-late-for-the-model");
    const ends = (mapper: Mapper) =>
      map(mapper, ...messages).filter(({ type }) => type === "completion").length;
    expect([ends(createMapper()), ends(new ClaudeMapper({ live: true }))]).toEqual([2, 1]);
  });
});

test("what is told twice is told once", () => {
  const call = { type: "tool_use", id: "c", name: "Bash", input: {} };
  const use = { type: "assistant", uuid: "u", message: { id: "m", content: [call] } };
  const request = { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "c" };
  const ask = { type: "control_request", request_id: "r", request };
  const answer = { type: "tool_result", tool_use_id: "c", content: "done" };
  const result = { type: "user", message: { content: [answer] } };
  const once = [said("a", "Hello."), use, ask, result];
  const types = map(createMapper(), init, ...once.flatMap((message) => [message, message]))
    .filter(untold)
    .map(({ type }) => type);
  expect(types).toEqual(["delta", "message", "tool_call", "request", "tool_result"]);
});

test("a message that is withdrawn before Claude began with it was a turn that was cancelled", () => {
  const mapper = new ClaudeMapper({ live: true });
  expect(map(mapper, fate("1", "queued"), fate("1", "cancelled"))).toEqual([
    { type: "completion", status: "cancelled" },
  ]);
});

test("a plan that Claude wrote into its file is shown with the question whether to carry it out", () => {
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

test("a new session, as after /clear, is told by its new id", () => {
  const mapper = createMapper();
  map(mapper, init, success);
  expect(map(mapper, { ...init, session_id: "t" })).toEqual([
    { type: "system", subtype: "status", data: { runtimeSessionId: "t", resumable: true } },
  ]);
});
