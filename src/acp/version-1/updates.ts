import type { SessionUpdate, ToolCall, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { PlanStep } from "../../halyard/plan-steps.ts";
import type { AgentUpdate, FileEdit, ReportedTool } from "../updates/agent-update.ts";
import { resultUpdate, sharedUpdate, toolCallOf } from "../updates/shared-updates.ts";

/** Converts an update to protocol version 1. Returns undefined if this version has no equivalent. */
export function toUpdate(update: AgentUpdate): SessionUpdate | undefined {
  switch (update.type) {
    case "text": {
      const { by, messageId, text } = update;
      return { sessionUpdate: chunks[by], messageId, content: { type: "text", text } };
    }
    case "tool":
      return { sessionUpdate: "tool_call", ...toToolCall(update), status: "in_progress" };
    case "result":
      return resultUpdate(update, update.edits.map(toDiff));
    case "plan":
      return { sessionUpdate: "plan", entries: update.steps.flatMap(toEntry) };
    case "usage":
    case "notice":
    case "title":
    case "changed":
      return sharedUpdate(update);
  }
}

const chunks = {
  user: "user_message_chunk",
  agent: "agent_message_chunk",
  thought: "agent_thought_chunk",
} as const;

/** Converts a tool call to protocol version 1. */
export function toToolCall(tool: ReportedTool): ToolCall {
  return toolCallOf(tool, tool.edits.map(toDiff));
}

function toDiff({ path, operation, before, after }: FileEdit): ToolCallContent {
  return { type: "diff", path, oldText: operation === "add" ? null : before, newText: after };
}

/** Converts a plan step. Omits a cancelled step, because version 1 has no status for it. */
function toEntry({ content, status, priority }: PlanStep) {
  return status === "cancelled" ? [] : [{ content, status, priority }];
}
