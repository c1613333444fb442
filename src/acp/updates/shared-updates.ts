import type { AgentUpdate, ReportedResult, ReportedTool } from "./agent-update.ts";

/** Updates that are the same in both protocol versions. */
type Shared = Extract<AgentUpdate, { type: "usage" | "notice" | "title" | "changed" }>;

export function sharedUpdate(update: Shared) {
  switch (update.type) {
    case "usage":
      return { sessionUpdate: "usage_update", ...update.usage } as const;
    case "notice":
      return { sessionUpdate: "notice", severity: "warning", title: update.text } as const;
    case "title":
      return { sessionUpdate: "session_info_update", title: update.title } as const;
    case "changed":
      return undefined;
  }
}

/** Returns the fields of a new tool call. The content depends on the protocol version. */
export function toolCallOf<C>(
  { callId, name, title, kind, input, paths }: ReportedTool,
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

/** Returns the update for a result. The diffs depend on the protocol version. */
export function resultUpdate<C>(
  { callId, isError, text, exitCode }: ReportedResult,
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
