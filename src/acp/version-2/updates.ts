import { isAbsolute, relative } from "node:path";
import type {
  DiffChange,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";
import { resultUpdate, sharedUpdate, toolCallOf } from "../shared-updates.ts";
import type { FileEdit, Telling, ToldTool } from "../telling.ts";

/** A telling in the words of version 2; none where it has no words for it. */
export function toUpdate(telling: Telling, cwd: string): SessionUpdate | undefined {
  switch (telling.type) {
    case "words":
      return toWords(telling);
    case "tool": {
      const call = toToolCall(telling, cwd);
      return { sessionUpdate: "tool_call_update", ...call, status: "in_progress" };
    }
    case "result":
      return resultUpdate(telling, toDiffs(telling.edits, cwd));
    case "plan": {
      const entries = telling.steps.map((step) => ({ ...step }));
      return { sessionUpdate: "plan_update", plan: { type: "items", planId: "plan", entries } };
    }
    case "usage":
    case "notice":
    case "title":
    case "changed":
      return sharedUpdate(telling);
  }
}

function toWords({ by, messageId, text }: Extract<Telling, { type: "words" }>): SessionUpdate {
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

/** A tool call as it begins. */
export function toToolCall(tool: ToldTool, cwd: string): ToolCallUpdate {
  return toolCallOf(tool, toDiffs(tool.edits, cwd));
}

/** One diff for each file. */
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

/** Only what came as a diff says where in the file it is. */
function toPatch(parts: readonly FileEdit[], cwd: string): string | undefined {
  const [first] = parts;
  if (first === undefined || parts.some(({ hunks }) => hunks === undefined)) return undefined;
  const inside = relative(cwd, first.path);
  const name = inside.startsWith("..") || isAbsolute(inside) ? first.path.slice(1) : inside;
  const header = [
    `diff --git a/${name} b/${name}`,
    ...(first.operation === "add" ? ["new file mode 100644"] : []),
    ...(first.operation === "delete" ? ["deleted file mode 100644"] : []),
    `--- ${first.operation === "add" ? "/dev/null" : `a/${name}`}`,
    `+++ ${first.operation === "delete" ? "/dev/null" : `b/${name}`}`,
  ];
  return `${header.join("\n")}\n${parts.map(({ hunks }) => hunks).join("")}`;
}
