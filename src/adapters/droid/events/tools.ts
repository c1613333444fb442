import type { ToolResultEvent } from "../../../schema/event.ts";
import type { ToolKind } from "../../../schema/permission.ts";
import type { ContentBlock } from "../messages.ts";
import { diffOf } from "./diff.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  Execute: "execute",
  Script: "execute",
  Create: "edit",
  Edit: "edit",
  MultiEdit: "edit",
  ApplyPatch: "edit",
  Read: "read",
  LS: "search",
  Grep: "search",
  Glob: "search",
  FetchUrl: "fetch",
  WebSearch: "fetch",
};

/** Maps a Droid tool name to its kind. MCP tools are `other`. */
export function toolKind(name: string): ToolKind {
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? "other") : "other";
}

interface ToolEnd {
  readonly callId: string;
  readonly name: string;
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
}

export function toolResult({ callId, name, content, isError }: ToolEnd): ToolResultEvent {
  const output = textOf(content);
  const exitCode = toolKind(name) === "execute" ? exitCodeOf(output) : undefined;
  const diff = toolKind(name) === "edit" ? diffOf(output) : undefined;
  return {
    type: "tool_result",
    callId,
    output,
    isError,
    ...(exitCode !== undefined && { exitCode }),
    ...(diff !== undefined && { diff }),
  };
}

function textOf(content: string | readonly ContentBlock[]): string {
  if (typeof content === "string") return content;
  return content.map(({ type, text }) => text ?? `[${type}]`).join("\n");
}

/** Parses the exit code from the last line of a command's output. Droid reports it nowhere else. */
function exitCodeOf(output: string): number | undefined {
  const code = /\[Process exited with code (-?\d+)\]\s*$/.exec(output)?.[1];
  return code === undefined ? undefined : Number(code);
}
