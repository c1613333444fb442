import type { ToolResultEvent } from "../../../schema/event.ts";
import type { ToolKind } from "../../../schema/permission.ts";
import type { ContentBlock } from "../messages.ts";
import { diffOf } from "./diff.ts";

const kinds = new Map<string, ToolKind>([
  ["Bash", "execute"],
  ["PowerShell", "execute"],
  ["Monitor", "execute"],
  ["Read", "read"],
  ["NotebookRead", "read"],
  ["Glob", "search"],
  ["Grep", "search"],
  ["LS", "search"],
  ["Edit", "edit"],
  ["MultiEdit", "edit"],
  ["Write", "edit"],
  ["NotebookEdit", "edit"],
  ["WebFetch", "fetch"],
  // A web search is a request to the internet, unlike a search in the workspace.
  ["WebSearch", "fetch"],
  ["web_fetch", "fetch"],
  ["web_search", "fetch"],
]);

/** Returns a tool's kind. MCP tools and unknown tools are `other`. */
export function toolKind(name: string): ToolKind {
  return kinds.get(name) ?? "other";
}

/** Maps a tool call's result. `details` is the structured result, if there is one. */
export function toolResult(callId: string, block: ContentBlock, details: unknown): ToolResultEvent {
  const isError = block.is_error ?? false;
  const { output, exitCode } = readOutput(outputOf(block.content), isError);
  const diff = isError ? undefined : diffOf(details);
  return {
    type: "tool_result",
    callId,
    output,
    isError,
    ...(exitCode !== undefined && { exitCode }),
    ...(diff !== undefined && { diff }),
  };
}

/** Separates a failed command's exit code from its output, because Claude reports the code only as the first line. */
function readOutput(text: string, isError: boolean): { output: string; exitCode?: number } {
  const [line, code] = (isError && /^Exit code (\d+)(?:\n|$)/.exec(text)) || [];
  if (line === undefined) return { output: text };
  return { output: text.slice(line.length), exitCode: Number(code) };
}

function outputOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content);
  return content.map(contentText).join("\n");
}

function contentText(part: unknown): string {
  if (typeof part !== "object" || part === null) return String(part);
  if ("text" in part && typeof part.text === "string") return part.text;
  return "type" in part && typeof part.type === "string" ? `[${part.type}]` : "";
}
