import { expect, test } from "vitest";
import { TranscriptMapper } from "./transcript.ts";

const sessionId = "s1";
const user = (content: unknown) => ({ type: "user", sessionId, uuid: "u", message: { content } });
const says = (text: string, id = "m1") => ({
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

function tell(lines: readonly unknown[], isOurs?: (text: string) => boolean) {
  const mapper = new TranscriptMapper(isOurs && { isOurs });
  return lines.flatMap((line) => mapper.map(line));
}

test("a turn is told from its message to its end, with what it cost", () => {
  const drafts = tell([user("greet me"), { type: "mode" }, says("Hello."), over]);
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

test("what somebody else typed is kept apart, and its end ends nothing", () => {
  const drafts = tell([user("by hand"), says("Hello."), over], () => false);
  expect(drafts.filter(({ type }) => type !== "system")).toEqual([]);
  expect(JSON.stringify(drafts)).toContain("Hello.");
});

test("a message that was taken back makes room for the next", () => {
  const drafts = tell([user("sing"), user("greet me"), says("Hello."), over]);
  expect(drafts.filter(({ type }) => type === "completion")).toHaveLength(1);
});

test.each([
  ["[Request interrupted by user]", { status: "cancelled" }],
  ["[Request interrupted by user for tool use]", { status: "cancelled" }],
])("%s is the end of a turn", (text, end) => {
  expect(tell([user("sing"), says("la"), user([{ type: "text", text }])]).at(-1)).toMatchObject(
    end,
  );
});

test.each([
  ["Please run /login · API Error: 401 bad KEY", undefined, "agent_failed"],
  ["Invalid API key · Please run /login", undefined, "not_signed_in"],
])("%s is told as what it is", (text, error, code) => {
  const failure = { ...says(text), isApiErrorMessage: true, error };
  expect(tell([user("try"), failure]).at(-1)).toMatchObject({
    status: "failed",
    error: { code, message: text },
  });
});

test.each([null, 0, "text", [], { type: 7 }])("%j is kept as it is", (line) => {
  expect(tell([line])).toEqual([{ type: "system", subtype: "raw", data: { message: line } }]);
});
