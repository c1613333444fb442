import type { ToolCallEvent, ToolResultEvent } from "../../../schema/event.ts";
import { unifiedDiff } from "./diff.ts";
import type { CodexFileChange, ToolItem } from "./items.ts";

/** Returns an item's tool call. Codex does not report the names of most of its own tools, so Halyard assigns them. */
export function toolOf(item: ToolItem): Pick<ToolCallEvent, "name" | "kind" | "input"> {
  switch (item.type) {
    case "commandExecution": {
      const { command, cwd } = item;
      return { name: "shell", kind: "execute", input: { command, ...(cwd && { cwd }) } };
    }
    case "fileChange": {
      const paths = item.changes.flatMap((change) => [change.path, ...movedTo(change)]);
      const diff = unifiedDiff(item.changes);
      const path = paths.length === 1 ? paths[0] : paths;
      return { name: "apply_patch", kind: "edit", input: { path, ...(diff && { diff }) } };
    }
    case "mcpToolCall":
      return { name: mcpToolName(item.server, item.tool), kind: "other", input: item.arguments };
    case "dynamicToolCall":
      return { name: item.tool, kind: "other", input: item.arguments };
    case "collabAgentToolCall": {
      const { tool, prompt, receiverThreadIds: agents } = item;
      const input = { ...(prompt && { prompt }), ...(agents.length > 0 && { agents }) };
      return { name: tool, kind: "other", input };
    }
    case "webSearch": {
      const { query, action } = item;
      const kind = action?.url ? "fetch" : "search";
      const input = { ...(query && { query }), ...(action?.url && { url: action.url }) };
      return { name: "web_search", kind, input };
    }
    case "imageView":
      return { name: "view_image", kind: "read", input: { path: item.path } };
    case "imageGeneration":
      return {
        name: "image_generation",
        kind: "other",
        input: { prompt: item.revisedPrompt ?? "" },
      };
    case "sleep":
      return { name: "sleep", kind: "other", input: { durationMs: item.durationMs } };
  }
}

function movedTo({ kind }: CodexFileChange): string[] {
  return typeof kind === "object" && kind.move_path ? [kind.move_path] : [];
}

/** Returns the name of an MCP tool, which includes the name of its server. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** Returns the result of a tool call. */
export function resultOf(item: ToolItem): Omit<ToolResultEvent, "type" | "callId"> {
  switch (item.type) {
    case "commandExecution": {
      const { aggregatedOutput, exitCode } = item;
      const isError = hasFailed(item.status) || (exitCode ?? 0) !== 0;
      const output = aggregatedOutput ?? statusText(item.status);
      return { output, isError, ...(exitCode != null && { exitCode }) };
    }
    case "fileChange": {
      const isError = hasFailed(item.status);
      if (isError) return { output: statusText(item.status), isError };
      const output = item.changes.map((change) => `${kindOf(change)} ${change.path}`).join("\n");
      const diff = unifiedDiff(item.changes);
      return { output, isError, ...(diff !== undefined && { diff }) };
    }
    case "mcpToolCall": {
      const output = item.error?.message ?? textOf(item.result?.content ?? []);
      return { output, isError: hasFailed(item.status) || item.error != null };
    }
    case "dynamicToolCall":
      return { output: textOf(item.contentItems ?? []), isError: item.success === false };
    case "collabAgentToolCall": {
      const states = Object.values(item.agentsStates);
      const output = states.map(({ message, status }) => message ?? status).join("\n");
      return { output, isError: hasFailed(item.status) };
    }
    case "imageGeneration":
      return { output: item.savedPath ?? "", isError: hasFailed(item.status ?? "") };
    case "webSearch":
    case "imageView":
    case "sleep":
      return { output: "", isError: false };
  }
}

function hasFailed(status: string): boolean {
  return failures.has(status);
}

const failures = new Set(["failed", "declined", "interrupted"]);

/** Returns the status as output, because Codex sends no text for a denied or interrupted tool. */
function statusText(status: string): string {
  return status === "completed" ? "" : status;
}

function kindOf({ kind }: { kind: string | { type: string } }): string {
  return typeof kind === "string" ? kind : kind.type;
}

/** Returns the text of a tool's result. Converts other content to JSON. */
function textOf(content: readonly unknown[]): string {
  return content.map(toText).join("\n");
}

function toText(part: unknown): string {
  if (typeof part === "object" && part !== null && "text" in part && typeof part.text === "string")
    return part.text;
  return JSON.stringify(part) ?? "";
}
