import type { Telling, ToldResult, ToldTool } from "./telling.ts";

/** What both versions of the protocol say in the same words, or in none. */
type Shared = Extract<Telling, { type: "usage" | "notice" | "title" | "changed" }>;

export function sharedUpdate(telling: Shared) {
  switch (telling.type) {
    case "usage":
      return { sessionUpdate: "usage_update", ...telling.usage } as const;
    case "notice":
      return { sessionUpdate: "notice", severity: "warning", title: telling.text } as const;
    case "title":
      return { sessionUpdate: "session_info_update", title: telling.title } as const;
    case "changed":
      return undefined;
  }
}

/** A tool call as it begins; what it means to change each version shows in its own way. */
export function toolCallOf<C>(
  { callId, name, title, kind, input, paths }: ToldTool,
  content: readonly C[],
) {
  return {
    toolCallId: callId,
    name,
    title,
    kind,
    rawInput: input,
    locations: paths.map((path) => ({ path })),
    content: [...content],
  };
}

/** What came of it; the same is true of what it changed. */
export function resultUpdate<C>(
  { callId, isError, text, exitCode }: ToldResult,
  diffs: readonly C[],
) {
  const shown = text === "" ? [] : [{ type: "content", content: { type: "text", text } } as const];
  const status: "failed" | "completed" = isError ? "failed" : "completed";
  return {
    sessionUpdate: "tool_call_update" as const,
    toolCallId: callId,
    status,
    content: [...diffs, ...shown],
    ...(exitCode !== undefined && { rawOutput: { exitCode } }),
  };
}
