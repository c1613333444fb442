import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../core/draft.ts";
import { describeMapper } from "../../testing/describe-mapper.ts";
import { createMapper } from "./events.ts";

const fixtures = new URL("./fixtures/", import.meta.url);

describe("Droid's mapper", () => {
  describeMapper(fixtures, createMapper, {
    turns: {
      "text-interrupted.jsonl": 2,
      "tool-interrupted.jsonl": 2,
      "v0.215-tool-interrupted.jsonl": 2,
    },
  });
});

/** What a recording comes to. */
function replay(name: string): EventDraft[] {
  const mapper = createMapper();
  const lines = readFileSync(new URL(name, fixtures), "utf8").trim().split("\n");
  return [...lines.flatMap((line) => mapper.map(JSON.parse(line))), ...mapper.flush()];
}

function ofType<T extends EventDraft["type"]>(drafts: readonly EventDraft[], type: T) {
  return drafts.filter((draft): draft is Extract<EventDraft, { type: T }> => draft.type === type);
}

const spoken = (drafts: readonly EventDraft[]) =>
  ofType(drafts, "message").map(({ role, channel, text }) => [role, channel, text]);

describe("the words of the assistant", () => {
  test("are a message with its role and text, and the user's are not repeated [s0.events.droid-message]", () => {
    expect(spoken(replay("text.jsonl"))).toEqual([
      ["assistant", "text", "Hello, there. How are you?"],
    ]);
  });

  test("are kept apart from its thoughts", () => {
    expect(spoken(replay("reasoning.jsonl"))).toEqual([
      ["assistant", "reasoning", "Let me see. There it is."],
      ["assistant", "text", "I see."],
    ]);
  });

  test("go on under another id after an attempt that was given up", () => {
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
  test("tell their exit code and what they changed", () => {
    const results = ofType(replay("edit-and-shell.jsonl"), "tool_result");
    expect(results).toMatchObject([
      { isError: false },
      { isError: false, diff: " one\n-two\n+2\n three\n four\n five" },
      { isError: true, exitCode: 3, output: expect.stringContaining("oops") },
    ]);
  });

  test.each(["", "v0.215-"])(
    "that are interrupted have one result, though Droid tells two (%s)",
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
  test("for permission name the tool and its whole input", () => {
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

  test("for several tools at once are one, with the input of each", () => {
    const [request] = ofType(replay("several-at-once.jsonl"), "request");
    expect(request?.tool).toMatchObject({
      name: "Execute",
      kind: "execute",
      input: [{ input: { command: "echo one" } }, { input: { command: "echo two" } }],
    });
  });

  test("may be questions, of which a single one has options", () => {
    expect(ofType(replay("question.jsonl"), "request")).toMatchObject([
      { kind: "question", text: "Which color?", options: [{ id: "Red" }, { id: "Blue" }] },
    ]);
    expect(ofType(replay("questions.jsonl"), "request")).toMatchObject([
      { text: "1. Which color? (Red / Blue)\n2. Which size? (Small / Large)", options: [] },
    ]);
  });
});

describe("the end of a turn", () => {
  test.each(["denied", "v0.215-denied", "steered-in-text", "steered-in-tool"])(
    "comes when all that was sent has been worked on: %s",
    (name) => {
      const [end, ...others] = ofType(replay(`${name}.jsonl`), "completion");
      expect(end).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(others).toEqual([]);
    },
  );

  test("adds up what both stretches of it cost", () => {
    const [end] = ofType(replay("steered-in-text.jsonl"), "completion");
    const costs = readFileSync(new URL("steered-in-text.jsonl", fixtures), "utf8").matchAll(
      /"agent_turn_completed".*?"inputTokens":(\d+)/g,
    );
    const inputTokens = [...costs].reduce((sum, [, cost]) => sum + Number(cost), 0);
    expect(end?.usage).toMatchObject({ inputTokens });
  });

  test("that fails has the model's own words", () => {
    expect(ofType(replay("refused-by-the-model.jsonl"), "completion")).toMatchObject([
      { status: "failed", error: { code: "agent_failed", message: "401 bad key" } },
    ]);
  });

  test("for want of a login says so", () => {
    expect(ofType(replay("not-signed-in.jsonl"), "completion")).toMatchObject([
      {
        status: "failed",
        error: { code: "not_signed_in", message: expect.stringContaining("FACTORY_API_KEY") },
      },
    ]);
  });

  test("is the plan where that was asked for", () => {
    const drafts = replay("plan.jsonl");
    expect(ofType(drafts, "completion")).toMatchObject([{ text: "# Plan\n1. Do it." }]);
    const plans = ofType(drafts, "system").filter(({ subtype }) => subtype === "plan");
    expect(plans).toMatchObject([{ text: "# Plan\n1. Do it." }]);
  });
});

describe("a single `droid exec`", () => {
  test("is told as a session of one turn", () => {
    const drafts = replay("one-shot.jsonl");
    expect(drafts[0]).toMatchObject({ subtype: "session_started" });
    expect(spoken(drafts)).toEqual([
      ["assistant", "reasoning", "Let me see."],
      ["assistant", "text", "I run it."],
      ["assistant", "text", "Done."],
    ]);
    expect(ofType(drafts, "tool_result")).toMatchObject([{ exitCode: 0 }]);
  });

  test("that failed has the agent's words and not the program's", () => {
    expect(ofType(replay("one-shot-failed.jsonl"), "completion")).toMatchObject([
      { status: "failed", error: { message: "401 bad key" } },
    ]);
  });
});
