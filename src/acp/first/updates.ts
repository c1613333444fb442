import type { SessionUpdate, ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import type { FileEdit, PlanStep, Telling, ToldTool } from "../telling.ts";

/** A telling in the words of version 1; none where it has no words for it. */
export function toUpdate(telling: Telling): SessionUpdate | undefined {
  switch (telling.type) {
    case "words": {
      const { by, messageId, text } = telling;
      return { sessionUpdate: chunks[by], messageId, content: { type: "text", text } };
    }
    case "tool":
      return { sessionUpdate: "tool_call", ...toToolCall(telling), status: "in_progress" };
    case "result": {
      const { callId, isError, text, edits, exitCode } = telling;
      const shown = text === "" ? [] : [toContent(text)];
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: callId,
        status: isError ? "failed" : "completed",
        content: [...edits.map(toDiff), ...shown],
        ...(exitCode !== undefined && { rawOutput: { exitCode } }),
      };
    }
    case "plan":
      return { sessionUpdate: "plan", entries: telling.steps.flatMap(toEntry) };
    case "usage":
      return { sessionUpdate: "usage_update", ...telling.usage };
    case "notice":
      return { sessionUpdate: "notice", severity: "warning", title: telling.text };
    case "title":
      return { sessionUpdate: "session_info_update", title: telling.title };
    case "changed":
      return undefined;
  }
}

const chunks = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk",
} as const;

/** A tool call as it begins. */
export function toToolCall({ callId, name, title, kind, input, paths, edits }: ToldTool): ToolCall {
  return {
    toolCallId: callId,
    name,
    title,
    kind,
    rawInput: input,
    locations: paths.map((path) => ({ path })),
    content: edits.map(toDiff),
  };
}

function toContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

function toDiff({ path, operation, before, after }: FileEdit): ToolCallContent {
  return { type: "diff", path, oldText: operation === "add" ? null : before, newText: after };
}

/** Version 1 knows no step that was given up. */
function toEntry({ content, status, priority }: PlanStep) {
  return status === "cancelled" ? [] : [{ content, status, priority }];
}
