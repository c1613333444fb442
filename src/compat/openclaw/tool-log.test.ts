import { expect, onTestFinished, test, vi } from "vitest";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { createAgentRuntime, logToolEvent } from "./index.ts";

test("logs the start and the result of each tool with the context", async () => {
  await using stage = await openFakeStage();
  const lines: string[] = [];
  const runtime = await createAgentRuntime({}, "main", "fake", stage);
  await runtime.run({
    sessionId: "chat-1",
    sessionFile: `${stage.cwd}/../chat-1.jsonl`,
    workspaceDir: stage.cwd,
    prompt: "tool write a.txt secret-content; sh exit 3; say done",
    provider: "p",
    model: "m",
    runId: "run-1",
    onAgentEvent: (event) =>
      logToolEvent(event, {
        log: (line) => lines.push(line),
        session: "chat-1",
        channel: undefined,
      }),
  });
  expect(lines).toEqual([
    "Tool: write starting... (run=run-1 session=chat-1)",
    "Tool: write completed (run=run-1 session=chat-1)",
    "Tool: shell starting... (run=run-1 session=chat-1)",
    "Tool: shell failed (run=run-1 session=chat-1)",
  ]);
});

test("logs to the console if the context has no logger", () => {
  const info = vi.spyOn(console, "info").mockImplementation(() => {});
  onTestFinished(() => info.mockRestore());
  logToolEvent({ type: "tool_start", name: "read" }, { session: "chat-3" });
  logToolEvent({ type: "tool_result", name: "read" });
  expect(info.mock.calls.flat()).toEqual([
    "Tool: read starting... (session=chat-3)",
    "Tool: read completed",
  ]);
});

test("accepts an event with only a type and a name, and a logger with info()", () => {
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line) };
  logToolEvent({ type: "tool_start", name: "read" }, { log });
  logToolEvent({ type: "tool_result", name: "read" }, { log, session: "chat-2" });
  logToolEvent({ type: "text" }, { log });
  expect(lines).toEqual(["Tool: read starting...", "Tool: read completed (session=chat-2)"]);
});
