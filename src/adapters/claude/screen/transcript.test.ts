import { expect, test } from "vitest";
import { TranscriptMapper } from "./transcript.ts";

const sessionId = "s1";
const user = (content: unknown) => ({ type: "user", sessionId, uuid: "u", message: { content } });
const assistant = (text: string, id = "m1") => ({
  type: "assistant",
  uuid: id,
  message: {
    id,
    role: "assistant",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 1 },
  },
});
const over = { type: "system", subtype: "turn_duration" };

function map(lines: readonly unknown[], isOwn?: (text: string) => boolean) {
  const mapper = new TranscriptMapper(isOwn && { isOwn });
  return lines.flatMap((line) => mapper.map(line));
}

test("maps a turn from its message to its completion, with usage", () => {
  const drafts = map([user("greet me"), { type: "mode" }, assistant("Hello."), over]);
  expect(drafts).toMatchObject([
    { subtype: "status", data: { runtimeSessionId: "s1", resumable: true } },
    { type: "delta", text: "Hello." },
    { type: "message", text: "Hello." },
    {
      type: "completion",
      status: "completed",
      stopReason: "end_turn",
      usage: { inputTokens: 3, outputTokens: 1 },
    },
  ]);
});

test("maps a turn that the user typed to system drafts without a completion", () => {
  const drafts = map([user("by hand"), assistant("Hello."), over], () => false);
  expect(drafts.filter(({ type }) => type !== "system")).toEqual([]);
  expect(JSON.stringify(drafts)).toContain("Hello.");
});

test("emits one completion if the first of two messages was withdrawn", () => {
  const drafts = map([user("sing"), user("greet me"), assistant("Hello."), over]);
  expect(drafts.filter(({ type }) => type === "completion")).toHaveLength(1);
});

test.each([
  ["[Request interrupted by user]", { status: "cancelled" }],
  ["[Request interrupted by user for tool use]", { status: "cancelled" }],
])("cancels the turn at the line %s", (text, end) => {
  expect(map([user("sing"), assistant("la"), user([{ type: "text", text }])]).at(-1)).toMatchObject(
    end,
  );
});

test.each([
  ["Please run /login · API Error: 401 bad KEY", undefined, "agent_failed"],
  ["Invalid API key · Please run /login", undefined, "not_signed_in"],
])("maps the error %s to its code", (text, error, code) => {
  const failure = { ...assistant(text), isApiErrorMessage: true, error };
  expect(map([user("try"), failure]).at(-1)).toMatchObject({
    status: "failed",
    error: { code, message: text },
  });
});

test.each([null, 0, "text", [], { type: 7 }])("maps the invalid line %j to a raw draft", (line) => {
  expect(map([line])).toEqual([{ type: "system", subtype: "raw", data: { message: line } }]);
});
