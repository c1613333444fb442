import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { describeMapper } from "../../../testing/describe-mapper.ts";
import { createMapper } from "./events.ts";

const fixtures = new URL("../fixtures/", import.meta.url);

describeMapper(fixtures, createMapper, {
  turns: { "two-turns.jsonl": 2, "older-two-turns.jsonl": 2 },
});

function recording(name: string): unknown[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, fixtures), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

function received(messages: readonly unknown[]): EventDraft[] {
  const mapper = createMapper();
  return [...messages.flatMap((message) => mapper.map(message)), ...mapper.flush()];
}

function of<T extends EventDraft["type"]>(drafts: readonly EventDraft[], type: T) {
  return drafts.filter((draft): draft is Extract<EventDraft, { type: T }> => draft.type === type);
}

/** Returns the drafts without deltas, ids and other values that vary. */
function outline(drafts: readonly EventDraft[]): unknown[] {
  return drafts.flatMap((draft): unknown[] => {
    switch (draft.type) {
      case "message":
        return [[draft.channel, draft.text]];
      case "tool_call":
        return [["call", draft.name, draft.kind]];
      case "tool_result":
        return [["result", draft.isError, draft.exitCode]];
      case "request":
        return [["asks", draft.kind, draft.tool?.name]];
      case "completion":
        return [[draft.status, draft.stopReason ?? draft.error?.message]];
      default:
        return [];
    }
  });
}

describe.each(["", "older-"])("the mapper, for recordings with the prefix %j", (dialect) => {
  test("maps reasoning and text [s0.opencode.sse] [s0.events.opencode-message]", () => {
    expect(outline(received(recording(`${dialect}text-and-reasoning`)))).toEqual([
      ["reasoning", "Let me see."],
      ["text", "Hello, you out there."],
      ["completed", "end_turn"],
    ]);
  });

  test("emits deltas that add up to the text", () => {
    const drafts = received(recording(`${dialect}text-and-reasoning`));
    const pieces = of(drafts, "delta").filter(({ channel }) => channel === "text");
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map(({ text }) => text).join("")).toBe("Hello, you out there.");
  });

  test("emits tools with exit codes and diffs", () => {
    const drafts = received(recording(`${dialect}tools`));
    expect(outline(drafts)).toEqual(
      expect.arrayContaining([
        ["call", "bash", "execute"],
        ["result", false, 0],
        ["result", true, 3],
        ["call", "write", "edit"],
        ["call", "edit", "edit"],
        ["call", "teleport", "other"],
        ["text", "Done."],
        ["completed", "end_turn"],
      ]),
    );
    const changes = of(drafts, "tool_result").flatMap(({ diff }) => diff ?? []);
    expect(changes).toEqual([expect.stringMatching(/-one\n\+two/)]);
  });

  test("emits permission requests with the tool and its input", () => {
    const [request] = of(received(recording(`${dialect}permission-once`)), "request");
    expect(request).toMatchObject({ kind: "permission", tool: { name: "bash", kind: "execute" } });
    expect(request?.tool?.input).toMatchObject({ command: "echo asked" });
    expect(request?.options.map(({ decision }) => decision)).toEqual(["allow", "deny"]);
  });

  test("completes a turn after a denied tool", () => {
    const drafts = received(recording(`${dialect}permission-rejected`));
    expect(outline(drafts).slice(-2)).toEqual([
      ["result", true, undefined],
      ["completed", "tool-calls"],
    ]);
  });

  test("maps an abort during a message to a cancelled turn", () => {
    const drafts = received(recording(`${dialect}abort-in-text`));
    expect(drafts.at(-1)).toMatchObject({ type: "completion", status: "cancelled" });
    expect(of(drafts, "delta").length).toBeGreaterThan(1);
  });

  test("maps an abort during a tool to a tool result and a cancelled turn", () => {
    const drafts = received(recording(`${dialect}abort-in-tool`));
    expect(outline(drafts)).toEqual([
      ["call", "bash", "execute"],
      ["result", true, undefined],
      ["cancelled", undefined],
    ]);
  });

  test("fails a turn with the model's error message", () => {
    expect(outline(received(recording(`${dialect}model-error`)))).toEqual([
      ["failed", "no such parameter"],
    ]);
  });

  test("emits a retried message once, with another id", () => {
    const drafts = received(recording(`${dialect}model-retry`));
    const [message, ...others] = of(drafts, "message");
    expect(others).toEqual([]);
    expect(message?.text).toBe("second attempt");
    const retries = of(drafts, "system").filter(({ subtype }) => subtype === "retry");
    const isBroken = of(drafts, "delta").some(({ messageId }) => messageId !== message?.messageId);
    expect(retries).toHaveLength(isBroken ? 1 : 0);
  });

  test("emits subagents' tools, but not their text", () => {
    const drafts = received(recording(`${dialect}subagent`));
    expect(of(drafts, "tool_call").map(({ name }) => name)).toEqual(["task", "bash"]);
    expect(of(drafts, "message").map(({ text }) => text)).toEqual(["All done."]);
    expect(of(drafts, "completion")).toHaveLength(1);
  });
});

test("continues the same turn after a steered message", () => {
  const drafts = received(recording("steered"));
  expect(of(drafts, "message").map(({ text }) => text)).toEqual(["To the left."]);
  expect(of(drafts, "completion")).toHaveLength(1);
});

test("maps a question with its options", () => {
  const [request] = of(received(recording("question")), "request");
  expect(request).toMatchObject({
    kind: "question",
    text: "Which colour?\n- Red: the red one\n- Blue: the blue one",
    options: [{ id: "Red" }, { id: "Blue" }],
  });
});

test("maps an error without a turn to one failed turn", () => {
  expect(outline(received(recording("unknown-agent")))).toEqual([
    ["failed", expect.stringContaining('Agent not found: "nobody"')],
  ]);
});

test("does not emit user messages, even if their role is unknown", () => {
  for (const name of ["two-turns", "older-two-turns"]) {
    const filtered = recording(name).filter(
      (event) => !JSON.stringify(event).includes('"type":"message.updated"'),
    );
    expect(outline(received(filtered))).toEqual([
      ["text", "One."],
      ["completed", "end_turn"],
      ["text", "Two."],
      ["completed", "end_turn"],
    ]);
  }
});

test("emits the turns of concurrent sessions one at a time", () => {
  const [one, two] = [recording("tools"), recording("text-and-reasoning")];
  const mixed = one.flatMap((event, index) => (two[index] ? [event, two[index]] : [event]));
  expect(outline(received(mixed))).toEqual([...outline(received(one)), ...outline(received(two))]);
});

test("fails a truncated session's turn without blocking the next session", () => {
  const [one, two] = [recording("tools").slice(0, 30), recording("text-and-reasoning")];
  const mixed = one.flatMap((event, index) => (two[index] ? [event, two[index]] : [event]));
  expect(outline(received([...mixed, ...two.slice(30)])).slice(-4)).toEqual([
    [
      "failed",
      "The native log ends before the end of the turn. Record a log that contains the whole turn.",
    ],
    ["reasoning", "Let me see."],
    ["text", "Hello, you out there."],
    ["completed", "end_turn"],
  ]);
});

test("maps the output of `opencode run`", () => {
  const part = (type: string, more: object) => ({
    part: { id: `prt_${type}`, messageID: "msg_1", type, ...more },
  });
  const line = (type: string, more: object) => ({ type, sessionID: "ses_1", ...more });
  const lines = [
    line("step_start", part("step-start", {})),
    line("text", part("text", { text: "Hello.", time: { start: 1, end: 2 } })),
    line("step_finish", part("step-finish", { reason: "stop", tokens: { input: 3, output: 1 } })),
  ];
  expect(received(lines).at(-1)).toMatchObject({
    status: "completed",
    stopReason: "end_turn",
    usage: { inputTokens: 3, outputTokens: 1 },
  });
  const error = { name: "APIError", data: { message: "no such parameter" } };
  expect(outline(received([line("error", { error })]))).toEqual([["failed", "no such parameter"]]);
});

test.each([
  ["permission.replied", { requestID: "r", reply: "reject" }, "deny"],
  ["permission.replied", { requestID: "r", reply: "once" }, "allow"],
  ["permission.replied", { permissionID: "r", response: "reject" }, "deny"],
  ["question.replied", { requestID: "r", answers: [["Blue"]] }, "allow"],
  ["question.rejected", { requestID: "r" }, "deny"],
])("settles a request when OpenCode reports its answer: %s %j", (type, fields, decision) => {
  const asker = { id: "msg_1", sessionID: "ses_1", role: "user" };
  const messages = [
    { type: "message.updated", properties: { info: asker } },
    { type, properties: { sessionID: "ses_1", ...fields } },
  ];
  expect(received(messages).filter((draft) => draft.type === "settled")).toEqual([
    { type: "settled", nativeId: "r", decision },
  ]);
});

describe("malformed field", () => {
  const ids = { sessionID: "ses_1", messageID: "msg_2" };
  const message = (id: string, role: string, more: object = {}) => ({
    type: "message.updated",
    properties: { info: { id, sessionID: "ses_1", role, ...more } },
  });
  const part = (more: object) => ({
    type: "message.part.updated",
    properties: { part: { id: "prt_1", ...ids, ...more } },
  });
  const idle = { type: "session.idle", properties: { sessionID: "ses_1" } };

  test("does not prevent the end of a turn", () => {
    const odd = { parentID: null, time: { completed: 1 }, finish: "stop", error: null };
    const step = { type: "step-finish", reason: null, tokens: { input: null }, cost: "little" };
    const mapper = createMapper();
    const events = [message("msg_1", "user"), message("msg_2", "assistant", odd), part(step), idle];
    expect(events.flatMap((event) => mapper.map(event))).toEqual([
      { type: "system", subtype: "step", data: { state: "finished" } },
      {
        type: "completion",
        status: "completed",
        stopReason: "end_turn",
        usage: { inputTokens: 0, outputTokens: 0 },
      },
    ]);
  });

  test.each([
    [null, "an unknown error"],
    [{ name: 7, data: { message: "it broke" } }, "it broke"],
    [{ name: "APIError", data: "it broke" }, "APIError"],
  ])("does not hide the error %j", (error, message) => {
    const event = { type: "session.error", properties: { sessionID: "ses_1", error } };
    expect(outline(received([event]))).toEqual([["failed", message]]);
    const line = { type: "error", sessionID: "ses_1", error };
    expect(outline(received([line]))).toEqual([["failed", message]]);
  });

  test("does not prevent a tool result", () => {
    const state = { status: "completed", input: {}, output: null, metadata: null, error: null };
    const ended = part({ type: "tool", tool: "bash", callID: null, time: null, state });
    const events = [message("msg_1", "user"), message("msg_2", "assistant"), ended];
    expect(outline(received(events)).slice(0, 2)).toEqual([
      ["call", "bash", "execute"],
      ["result", false, undefined],
    ]);
  });

  test("does not prevent a request", () => {
    const asked = { id: "per_1", sessionID: "ses_1", permission: "bash" };
    const odd = { patterns: null, metadata: null, tool: null };
    const event = { type: "permission.asked", properties: { ...asked, ...odd } };
    const [request] = of(received([message("msg_1", "user"), event]), "request");
    expect(request).toMatchObject({ nativeId: "per_1", tool: { name: "bash", kind: "execute" } });
  });
});

test("maps a missing key to `not_signed_in`", () => {
  const error = { name: "ProviderAuthError", data: { message: "no key" } };
  const event = { type: "session.error", properties: { sessionID: "ses_1", error } };
  expect(received([event])).toMatchObject([{ status: "failed", error: { code: "not_signed_in" } }]);
});
