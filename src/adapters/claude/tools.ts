import type { ToolResultEvent } from "../../schema/event.ts";
import type { ToolKind } from "../../schema/permission.ts";
import { diffOf } from "./diff.ts";
import type { Block } from "./messages.ts";

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
  // A question put to the world outside, not a look around.
  ["WebSearch", "fetch"],
  ["web_fetch", "fetch"],
  ["web_search", "fetch"],
]);

/** What one of Claude's tools does to the world; those of MCP servers are unknown to us. */
export function toolKind(name: string): ToolKind {
  return kinds.get(name) ?? "other";
}

/** What a tool gave back; `details` is the result as its program knows it. */
export function toolResult(callId: string, block: Block, details: unknown): ToolResultEvent {
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

/** Claude tells the exit code of a command that failed in a line before its output, and nowhere else. */
function readOutput(text: string, isError: boolean): { output: string; exitCode?: number } {
  const [line, code] = (isError && /^Exit code (\d+)(?:\n|$)/.exec(text)) || [];
  if (line === undefined) return { output: text };
  return { output: text.slice(line.length), exitCode: Number(code) };
}

function outputOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content);
  return content.map(pieceOf).join("\n");
}

function pieceOf(piece: unknown): string {
  if (typeof piece !== "object" || piece === null) return String(piece);
  if ("text" in piece && typeof piece.text === "string") return piece.text;
  return "type" in piece && typeof piece.type === "string" ? `[${piece.type}]` : "";
}
