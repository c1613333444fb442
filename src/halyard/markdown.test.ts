import { expect, test } from "vitest";
import type { StreamEvent } from "../schema/event.ts";
import { sampleSession } from "../testing/sample-session.ts";
import { toMarkdown } from "./markdown.ts";

const session = sampleSession({ name: "api" });

async function write(...bodies: object[]): Promise<string> {
  const events = bodies.map((body, index) => ({
    seq: index + 1,
    at: "2026-01-01T00:00:00.000Z",
    sessionId: session.id,
    runtime: "fake",
    ...body,
  })) as StreamEvent[];
  async function* batches() {
    yield events;
  }
  let text = "";
  for await (const piece of toMarkdown(session, batches())) text += piece;
  return text.slice(text.indexOf("\n\n", text.indexOf("·")) + 2 || undefined);
}

test("writes messages, reasoning, tools with results, answers and failures", async () => {
  const text = await write(
    { type: "system", subtype: "turn_started", text: "Fix it" },
    { type: "delta", channel: "text", messageId: "m", text: "All" },
    { type: "message", role: "assistant", channel: "reasoning", messageId: "r", text: "Hm.\nYes." },
    { type: "message", role: "assistant", channel: "text", messageId: "m", text: "All **good**" },
    { type: "tool_call", callId: "c", name: "sh", kind: "execute", input: { command: "npm test" } },
    { type: "tool_result", callId: "c", isError: true, exitCode: 1, output: "a\n```\nb\n" },
    { type: "response", requestId: "req_1", decision: "deny", by: "user", text: "not now" },
    { type: "completion", outcome: { status: "failed", error: { message: "overloaded" } } },
  );
  expect(text).toBe(
    [
      "## User, 2026-01-01T00:00:00.000Z\n\nFix it",
      "> Hm.\n> Yes.",
      "All **good**",
      '**sh**, exit 1\n\n```json\n{"command":"npm test"}\n```\n\n````\na\n```\nb\n````',
      "*Denied: not now*",
      "**Failed:** overloaded\n",
    ].join("\n\n"),
  );
});

test("truncates a tool's output after 40 lines, and keeps a tool without a result", async () => {
  const call = { type: "tool_call", name: "sh", kind: "execute", input: "x" };
  const text = await write(
    { ...call, callId: "a" },
    { type: "tool_result", callId: "a", isError: false, output: "line\n".repeat(100) },
    { ...call, callId: "b", input: "unfinished" },
  );
  expect(text.match(/^line$/gm)).toHaveLength(40);
  expect(text).toContain("… 60 more lines");
  expect(text).toContain("unfinished");
});
