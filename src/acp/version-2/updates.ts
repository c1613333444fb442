import { relative, resolve } from "node:path";
import type {
  DiffChange,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { isWithin } from "../../files/is-within.ts";
import type { AgentUpdate, FileEdit, ReportedTool } from "../updates/agent-update.ts";
import { resultUpdate, sharedUpdate, toolCallOf } from "../updates/shared-updates.ts";

/** Converts an update to protocol version 2. Returns undefined if this version has no equivalent. */
export function toUpdate(update: AgentUpdate, cwd: string): SessionUpdate | undefined {
  switch (update.type) {
    case "text":
      return toTextUpdate(update);
    case "tool": {
      const call = toToolCall(update, cwd);
      return { sessionUpdate: "tool_call_update", ...call, status: "in_progress" };
    }
    case "result":
      return resultUpdate(update, toDiffs(update.edits, cwd));
    case "plan": {
      const entries = update.steps.map((step) => ({ ...step }));
      return { sessionUpdate: "plan_update", plan: { type: "items", planId: "plan", entries } };
    }
    case "usage":
    case "notice":
    case "title":
    case "changed":
      return sharedUpdate(update);
  }
}

function toTextUpdate({
  by,
  messageId,
  text,
}: Extract<AgentUpdate, { type: "text" }>): SessionUpdate {
  const content = { type: "text", text } as const;
  switch (by) {
    case "user":
      return { sessionUpdate: "user_message", messageId, content: [content] };
    case "agent":
      return { sessionUpdate: "agent_message_chunk", messageId, content };
    case "thought":
      return { sessionUpdate: "agent_thought_chunk", messageId, content };
  }
}

/** Converts a tool call to protocol version 2. */
export function toToolCall(tool: ReportedTool, cwd: string): ToolCallUpdate {
  return toolCallOf(tool, toDiffs(tool.edits, cwd));
}

/** Returns one diff for each file. */
function toDiffs(edits: readonly FileEdit[], cwd: string): ToolCallContent[] {
  const paths = [...new Set(edits.map(({ path }) => path))];
  return paths.map((path) => {
    const parts = edits.filter((edit) => edit.path === path);
    const text = toPatch(parts, cwd);
    const patch = text === undefined ? {} : { patch: { format: "git_patch", text } };
    return { type: "diff", changes: [toChange(parts[0]?.operation, path)], ...patch };
  });
}

function toChange(operation: FileEdit["operation"] = "modify", path: string): DiffChange {
  switch (operation) {
    case "add":
      return { operation: "add", path };
    case "delete":
      return { operation: "delete", path };
    case "modify":
      return { operation: "modify", path };
  }
}

/** Returns a patch. Returns undefined if the runtime reported no diff, because the line numbers are then unknown. */
function toPatch(parts: readonly FileEdit[], cwd: string): string | undefined {
  const [first] = parts;
  if (first === undefined || parts.some(({ hunks }) => hunks === undefined)) return undefined;
  const name = isWithin(first.path, resolve(cwd)) ? relative(cwd, first.path) : first.path.slice(1);
  const header = [
    `diff --git a/${name} b/${name}`,
    ...(first.operation === "add" ? ["new file mode 100644"] : []),
    ...(first.operation === "delete" ? ["deleted file mode 100644"] : []),
    `--- ${first.operation === "add" ? "/dev/null" : `a/${name}`}`,
    `+++ ${first.operation === "delete" ? "/dev/null" : `b/${name}`}`,
  ];
  return `${header.join("\n")}\n${parts.map(({ hunks }) => hunks).join("")}`;
}
