import type { ToolResultEvent } from "../../../schema/event.ts";
import type { ToolKind } from "../../../schema/permission.ts";
import type { ContentBlock } from "../messages.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  bash: "execute",
  read: "read",
  write: "edit",
  edit: "edit",
  grep: "search",
  find: "search",
  ls: "search",
};

/** Returns a tool's kind. Extension tools are `other`. */
export function toolKind(name: string): ToolKind {
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? "other") : "other";
}

interface ToolEnd {
  readonly toolCallId: string;
  readonly toolName?: string | undefined;
  readonly result: { readonly content: readonly ContentBlock[]; readonly details?: unknown };
  readonly isError: boolean;
}

/** Maps a tool call's result. */
export function toolResult({ toolCallId, toolName, result, isError }: ToolEnd): ToolResultEvent {
  const output = result.content.map(({ type, text }) => text ?? `[${type}]`).join("\n");
  const exitCode = toolName === "bash" && isError ? exitCodeOf(output) : undefined;
  const diff = diffOf(result.details);
  return {
    type: "tool_result",
    callId: toolCallId,
    output,
    isError,
    ...(exitCode !== undefined && { exitCode }),
    ...(diff !== undefined && { diff }),
  };
}

/** Reads a failed command's exit code, which Pi reports only in the last line of the output. */
function exitCodeOf(output: string): number | undefined {
  const code = /(?:^|\n)Command exited with code (\d+)$/.exec(output)?.[1];
  return code === undefined ? undefined : Number(code);
}

function diffOf(details: unknown): string | undefined {
  if (typeof details !== "object" || details === null || !("diff" in details)) return undefined;
  return typeof details.diff === "string" ? details.diff : undefined;
}
