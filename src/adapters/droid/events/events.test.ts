import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { describeMapper } from "../../../testing/describe-mapper.ts";
import { createMapper } from "./events.ts";

const fixtures = new URL("../fixtures/", import.meta.url);

describe("Droid's mapper", () => {
  describeMapper(fixtures, createMapper, {
    turns: {
      "text-interrupted.jsonl": 2,
      "tool-interrupted.jsonl": 2,
      "v0.215-tool-interrupted.jsonl": 2,
    },
  });
});

/** Maps a recording to drafts. */
function replay(name: string): EventDraft[] {
  const mapper = createMapper();
  const lines = readFileSync(new URL(name, fixtures), "utf8").trim().split("\n");
  return [...lines.flatMap((line) => mapper.map(JSON.parse(line))), ...mapper.flush()];
}

function ofType<T extends EventDraft["type"]>(drafts: readonly EventDraft[], type: T) {
  return drafts.filter((draft): draft is Extract<EventDraft, { type: T }> => draft.type === type);
}

const messages = (drafts: readonly EventDraft[]) =>
  ofType(drafts, "message").map(({ role, channel, text }) => [role, channel, text]);

describe("assistant messages", () => {
  test("contain the role and the text, and user messages are not emitted [s0.events.droid-message]", () => {
    expect(messages(replay("text.jsonl"))).toEqual([
      ["assistant", "text", "Hello, there. How are you?"],
    ]);
  });

  test("are separate from reasoning", () => {
    expect(messages(replay("reasoning.jsonl"))).toEqual([
      ["assistant", "reasoning", "Let me see. There it is."],
      ["assistant", "text", "I see."],
    ]);
  });

  test("receive another id after a retracted attempt", () => {
    const drafts = replay("cut-and-retried.jsonl");
    const ids = new Set(ofType(drafts, "delta").map(({ messageId }) => messageId));
    const [message, ...others] = ofType(drafts, "message");
    expect([...ids]).toEqual([expect.any(String), message?.messageId]);
    expect(message?.text).toBe("one two three");
    expect(others).toEqual([]);
    expect(ofType(drafts, "system").map(({ subtype }) => subtype)).toContain("retry");
  });
});

describe("tools", () => {
  test("report their exit code and diff", () => {
    const results = ofType(replay("edit-and-shell.jsonl"), "tool_result");
    expect(results).toMatchObject([
      { isError: false },
      { isError: false, diff: " one\n-two\n+2\n three\n four\n five" },
      { isError: true, exitCode: 3, output: expect.stringContaining("oops") },
    ]);
  });

  test.each(["", "v0.215-"])(
    "produce one result when interrupted, although Droid reports two (%s)",
    (version) => {
      const drafts = replay(`${version}tool-interrupted.jsonl`);
      expect(ofType(drafts, "tool_call")).toMatchObject([{ name: "Execute", kind: "execute" }]);
      expect(ofType(drafts, "tool_result")).toMatchObject([{ isError: true }]);
      expect(ofType(drafts, "completion").map(({ status }) => status)).toEqual([
        "cancelled",
        "completed",
      ]);
    },
  );
});

describe("requests", () => {
  test("contain the tool and its complete input if they ask for permission", () => {
    expect(ofType(replay("write-allowed.jsonl"), "request")).toMatchObject([
      {
        kind: "permission",
        tool: {
          name: "Create",
          kind: "edit",
          input: { file_path: "/workspace/a.txt", content: "x\n" },
        },
        options: [
          { id: "proceed_once", decision: "allow" },
          { id: "cancel", decision: "deny" },
        ],
      },
    ]);
  });

  test("combine several tools into one request with the input of each", () => {
    const [request] = ofType(replay("several-at-once.jsonl"), "request");
    expect(request?.tool).toMatchObject({
      name: "Execute",
      kind: "execute",
      input: [{ input: { command: "echo one" } }, { input: { command: "echo two" } }],
    });
  });

  test("offer options only if they contain a single question", () => {
    expect(ofType(replay("question.jsonl"), "request")).toMatchObject([
      { kind: "question", text: "Which color?", options: [{ id: "Red" }, { id: "Blue" }] },
    ]);
    expect(ofType(replay("questions.jsonl"), "request")).toMatchObject([
      { text: "1. Which color? (Red / Blue)\n2. Which size? (Small / Large)", options: [] },
    ]);
  });
});

describe("end of a turn", () => {
  test.each(["denied", "v0.215-denied", "steered-in-text", "steered-in-tool"])(
    "comes after Droid has processed all messages: %s",
    (name) => {
      const [end, ...others] = ofType(replay(`${name}.jsonl`), "completion");
      expect(end).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(others).toEqual([]);
    },
  );

  test("contains the total usage of both segments of a steered turn", () => {
    const [end] = ofType(replay("steered-in-text.jsonl"), "completion");
    const costs = readFileSync(new URL("steered-in-text.jsonl", fixtures), "utf8").matchAll(
      /"agent_turn_completed".*?"inputTokens":(\d+)/g,
    );
    const inputTokens = [...costs].reduce((sum, [, cost]) => sum + Number(cost), 0);
    expect(end?.usage).toMatchObject({ inputTokens });
  });

  test("contains the model's error message if the model fails", () => {
    expect(ofType(replay("refused-by-the-model.jsonl"), "completion")).toMatchObject([
      { status: "failed", error: { code: "agent_failed", message: "401 bad key" } },
    ]);
  });

  test("reports `not_signed_in` if the login is missing", () => {
    expect(ofType(replay("not-signed-in.jsonl"), "completion")).toMatchObject([
      {
        status: "failed",
        error: { code: "not_signed_in", message: expect.stringContaining("FACTORY_API_KEY") },
      },
    ]);
  });

  test("returns the plan as its text in a planning session", () => {
    const drafts = replay("plan.jsonl");
    expect(ofType(drafts, "completion")).toMatchObject([{ text: "# Plan\n1. Do it." }]);
    const plans = ofType(drafts, "system").filter(({ subtype }) => subtype === "plan");
    expect(plans).toMatchObject([{ text: "# Plan\n1. Do it." }]);
  });
});

describe("one-shot `droid exec`", () => {
  test("is mapped to a session with one turn", () => {
    const drafts = replay("one-shot.jsonl");
    expect(drafts[0]).toMatchObject({ subtype: "session_started" });
    expect(messages(drafts)).toEqual([
      ["assistant", "reasoning", "Let me see."],
      ["assistant", "text", "I run it."],
      ["assistant", "text", "Done."],
    ]);
    expect(ofType(drafts, "tool_result")).toMatchObject([{ exitCode: 0 }]);
  });

  test("fails with the agent's error, not the program's", () => {
    expect(ofType(replay("one-shot-failed.jsonl"), "completion")).toMatchObject([
      { status: "failed", error: { message: "401 bad key" } },
    ]);
  });
});
