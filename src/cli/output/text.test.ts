import { expect, test } from "vitest";
import { type EventBody, StreamEvent } from "../../schema/event.ts";
import { createColors } from "../text/colors.ts";
import { TextRenderer } from "./text.ts";

const usage = { inputTokens: 1200, outputTokens: 340, costUsd: 0.012 };

function renderer(
  options: { color?: boolean; columns?: number; echo?: boolean; markdown?: boolean } = {},
): TextRenderer {
  const { color = false, columns = 80, echo = false, markdown = false } = options;
  return new TextRenderer({
    colors: createColors(color, { TERM: "xterm" }),
    columns: () => columns,
    echo,
    markdown,
  });
}

function render(bodies: readonly EventBody[], options?: Parameters<typeof renderer>[0]): string {
  const text = renderer(options);
  return bodies.map((body, index) => text.render(toEvent(body, index + 1))).join("");
}

function toEvent(body: EventBody, seq: number): StreamEvent {
  const envelope = {
    seq,
    at: "2026-01-01T00:00:00.000Z",
    sessionId: "ses_0123456789abcdef",
    runtime: "pi",
  };
  return StreamEvent.parse({ ...envelope, turnId: "trn_0123456789abcdef", ...body });
}

const textDelta = (text: string, messageId = "m1"): EventBody => ({
  type: "delta",
  channel: "text",
  messageId,
  text,
});
const reasoningDelta = (text: string): EventBody => ({
  type: "delta",
  channel: "reasoning",
  messageId: "m1",
  text,
});
const toolCall = (name: string, input: unknown, callId = "c1"): EventBody => ({
  type: "tool_call",
  callId,
  name,
  kind: name === "read" ? "read" : "execute",
  input,
});
const toolResult = (output: string, more: object = {}, callId = "c1"): EventBody => ({
  type: "tool_result",
  callId,
  output,
  isError: false,
  ...more,
});
const completion: EventBody = {
  type: "completion",
  outcome: { status: "completed", text: "Done.", stopReason: "end_turn", usage, durationMs: 2400 },
};

test("renders reasoning, text, tools with results, and a summary", () => {
  const rendered = render([
    { type: "system", subtype: "turn_started", text: "fix it" },
    reasoningDelta("\n\nFirst I look\nat the"),
    reasoningDelta(" tests."),
    textDelta("\nI'll run"),
    textDelta(" the tests.\n"),
    {
      type: "message",
      role: "assistant",
      channel: "text",
      messageId: "m1",
      text: "I'll run the tests.",
    },
    toolCall("bash", { command: "npm test" }),
    toolResult("ok 1\nok 2\n"),
    toolCall("read", { path: "src/a.ts" }, "c2"),
    toolResult("a\nb\nc", {}, "c2"),
    textDelta("Done.", "m2"),
    completion,
  ]);
  expect(rendered).toBe(`∴ First I look
  at the tests.

I'll run the tests.

→ bash npm test
  ok 1
  ok 2
→ read src/a.ts
  3 lines

Done.

✓ completed · 2.4 s · 1.2k tokens in, 340 out · $0.0120 · ses_0123456789abcdef
`);
});

test("renders Markdown line by line, and renders an unfinished line before other output", () => {
  const events = [
    textDelta("# On"),
    textDelta("e\n- two **th"),
    toolCall("bash", { command: "ls" }),
    textDelta("four"),
  ];
  const completed = { status: "completed", text: "", stopReason: "end_turn" } as const;
  const usage = { inputTokens: 0, outputTokens: 0 };
  const end: EventBody = { type: "completion", outcome: { ...completed, usage, durationMs: 5 } };
  expect(render([...events, end], { markdown: true })).toBe(
    "One\n• two **th\n\n→ bash ls\n\nfour\n\n✓ completed · 5 ms · ses_0123456789abcdef\n",
  );
});

test("renders a message without deltas, and omits the user's message", () => {
  const message = { type: "message", channel: "text", messageId: "m1" } as const;
  expect(
    render([
      { ...message, role: "user", text: "Hello?" },
      { ...message, role: "assistant", text: "Hello!" },
    ]),
  ).toBe("Hello!");
});

test("cuts the middle of a long result, and shows a failed tool's exit code", () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join("\n");
  expect(render([toolCall("bash", { command: "a" }), toolResult(lines)])).toBe(
    "→ bash a\n  line 1\n  line 2\n  line 3\n  … 45 more lines\n  line 49\n  line 50\n",
  );
  expect(
    render([
      toolCall("bash", { command: "a" }),
      toolResult("one\n\ntwo", { isError: true, exitCode: 3 }),
    ]),
  ).toBe("→ bash a\n  ✗ exit code 3\n  one\n  two\n");
});

test("repeats the call above a result that does not follow it directly", () => {
  expect(
    render([
      toolCall("bash", { command: "first" }, "c1"),
      toolCall("bash", { command: "second" }, "c2"),
      toolResult("1", {}, "c1"),
      toolResult("2", {}, "c2"),
    ]),
  ).toBe("→ bash first\n→ bash second\n← bash first\n  1\n← bash second\n  2\n");
});

test("shortens lines to the console's width", () => {
  const command = `echo ${"x".repeat(100)}`;
  const text = render([toolCall("bash", { command }), toolResult("y".repeat(100))], {
    columns: 30,
  });
  expect(text.split("\n").map((line) => line.length)).toEqual([30, 30, 0]);
  expect(render([toolCall("bash", { command: "one\ntwo\nthree" })])).toBe(
    "→ bash one (+2 lines)\n",
  );
});

test("colors diffs and reasoning, if colors are enabled", () => {
  const diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same";
  const events = [reasoningDelta("hm"), toolCall("edit", { path: "f" }), toolResult("", { diff })];
  expect(render(events)).toBe("∴ hm\n\n→ edit f\n  @@ -1 +1 @@\n  -old\n  +new\n   same\n");
  expect(render(events, { color: true })).toBe(
    "\u001b[2m∴ hm\u001b[22m\n\n\u001b[36m→\u001b[39m \u001b[1medit\u001b[22m f\n" +
      "\u001b[36m  @@ -1 +1 @@\u001b[39m\n\u001b[31m  -old\u001b[39m\n\u001b[32m  +new\u001b[39m\n\u001b[2m   same\u001b[22m\n",
  );
});

test("removes control characters from agent and tool output", () => {
  const evil = "\u001b]52;c;ZXZpbA==\u0007\u001b[2Jgone\u0008\u202e!";
  const text = render([
    textDelta(evil),
    toolCall("bash", { command: evil }),
    toolResult(`50%\r100%\r\n${evil}`),
  ]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that there are none
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(text).toContain("  100%\n");
});

test("shows a request and its answer in full, but omits a request that the policy allows", () => {
  const input = { path: "a.txt", content: "one\ntwo" };
  const request: EventBody = {
    type: "request",
    requestId: "req_0123456789abcdef",
    nativeId: "1",
    kind: "permission",
    text: `write ${JSON.stringify(input)}`,
    tool: { name: "write", kind: "edit", input },
    options: [],
    verdict: "ask",
  };
  const response = { type: "response", requestId: "req_0123456789abcdef" } as const;
  expect(
    render([
      request,
      { ...response, decision: "allow", by: "user" },
      request,
      { ...response, decision: "deny", by: "policy", text: "no console to ask" },
      { ...request, verdict: "allow" },
      { ...response, decision: "allow", by: "policy" },
    ]),
  ).toBe(
    "? Allow write of a.txt?\n  path: a.txt\n  content:\n    one\n    two\n  ✓ allowed\n" +
      "? Allow write of a.txt?\n  path: a.txt\n  content:\n    one\n    two\n  ✗ denied: no console to ask\n",
  );
});

test("shows retries and warnings, and omits the error that the outcome repeats", () => {
  const error = { code: "agent_failed", message: "500 from upstream", retryable: false } as const;
  const failed: EventBody = {
    type: "completion",
    outcome: {
      status: "failed",
      text: "",
      stopReason: "error",
      usage: { inputTokens: 0, outputTokens: 0 },
      durationMs: 12,
      error,
    },
  };
  const events: EventBody[] = [
    textDelta("Half a sen"),
    { type: "system", subtype: "retry", text: "overloaded", data: { attempt: 1, maxAttempts: 3 } },
    { type: "error", ...error },
    { type: "system", subtype: "warning", text: "odd" },
    { type: "error", ...error },
    failed,
  ];
  const beginning =
    "Half a sen\n\n↻ retrying (1 of 3): overloaded\n\n✗ 500 from upstream (agent_failed)\n\n! odd\n\n";
  expect(render(events)).toBe(`${beginning}✗ failed · 12 ms · ses_0123456789abcdef\n`);
});

test("shows messages and the start and end of the session if echo is enabled", () => {
  expect(
    render(
      [
        { type: "system", subtype: "session_started", data: { opened: "resumed" } },
        { type: "system", subtype: "turn_started", text: "go" },
        textDelta("Gone."),
        { type: "system", subtype: "session_stopped", text: "disposed" },
      ],
      { echo: true },
    ),
  ).toBe("· session resumed\n\n› go\n\nGone.\n\n· session ended: disposed\n");
});

test("atLineStart is true before the first text and after a line break", () => {
  const text = renderer();
  expect(text.atLineStart).toBe(true);
  text.render(toEvent(textDelta("words"), 1));
  expect(text.atLineStart).toBe(false);
  text.render(toEvent(textDelta(" and more\n"), 2));
  expect(text.atLineStart).toBe(true);
});
