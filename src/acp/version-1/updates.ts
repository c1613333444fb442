import type { SessionUpdate, ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import { resultUpdate, sharedUpdate, toolCallOf } from "../shared-updates.ts";
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
    case "result":
      return resultUpdate(telling, telling.edits.map(toDiff));
    case "plan":
      return { sessionUpdate: "plan", entries: telling.steps.flatMap(toEntry) };
    case "usage":
    case "notice":
    case "title":
    case "changed":
      return sharedUpdate(telling);
  }
}

const chunks = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk",
} as const;

/** A tool call as it begins. */
export function toToolCall(tool: ToldTool): ToolCall {
  return toolCallOf(tool, tool.edits.map(toDiff));
}

function toDiff({ path, operation, before, after }: FileEdit): ToolCallContent {
  return { type: "diff", path, oldText: operation === "add" ? null : before, newText: after };
}

/** Version 1 knows no step that was given up. */
function toEntry({ content, status, priority }: PlanStep) {
  return status === "cancelled" ? [] : [{ content, status, priority }];
}
