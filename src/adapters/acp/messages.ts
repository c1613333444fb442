import { z } from "zod";

// These schemas drop a malformed value, so that the rest of the message is still parsed.
const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);

/** A content block of a message or tool call. */
export const ContentBlock = z.looseObject({
  type: z.string(),
  text,
  uri: text,
  mimeType: text,
  resource: z.looseObject({ text, uri: text }).nullish().catch(undefined),
});
export type ContentBlock = z.infer<typeof ContentBlock>;

/** The content of a tool call, in version 1 or 2. */
export const ToolContent = z.looseObject({
  type: z.string(),
  /** Set for `content`. */
  content: ContentBlock.nullish().catch(undefined),
  /** The path and the two texts are set for `diff` in version 1. The texts are the whole file or its changed part. */
  path: text,
  oldText: text,
  newText: text,
  /** The changes and the patch are set for `diff` in version 2. */
  changes: z
    .array(z.looseObject({ path: text, oldPath: text }))
    .nullish()
    .catch(undefined),
  patch: z.looseObject({ text }).nullish().catch(undefined),
  /** Set for `terminal`. */
  terminalId: text,
});
export type ToolContent = z.infer<typeof ToolContent>;

/** A tool call, or an update to a tool call. A field that an update omits keeps its value. */
export const ToolCall = z.looseObject({
  toolCallId: z.string(),
  name: text,
  title: text,
  kind: text,
  status: text,
  content: z.array(ToolContent).nullish().catch(undefined),
  locations: z
    .array(z.looseObject({ path: z.string() }))
    .nullish()
    .catch(undefined),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

const RpcError = z.looseObject({
  code: z.number().catch(0),
  message: z.string().catch(""),
  data: z.unknown().optional(),
});
export type RpcError = z.infer<typeof RpcError>;

/** The token counts of a turn. */
export const AcpTurnUsage = z.looseObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: count,
  thoughtTokens: count,
  cachedReadTokens: count,
  cachedWriteTokens: count,
});
export type AcpTurnUsage = z.infer<typeof AcpTurnUsage>;

const PlanEntry = z.looseObject({ content: z.string(), status: text });
export type PlanEntry = z.infer<typeof PlanEntry>;

function chunk<T extends string>(sessionUpdate: T) {
  const shape = { sessionUpdate: z.literal(sessionUpdate), messageId: text, content: ContentBlock };
  return z.looseObject(shape);
}

function complete<T extends string>(sessionUpdate: T) {
  const content = z.array(ContentBlock).nullish();
  return z.looseObject({ sessionUpdate: z.literal(sessionUpdate), messageId: text, content });
}

function updateOf<T extends string, S extends z.ZodRawShape>(sessionUpdate: T, shape: S) {
  return z.looseObject({ sessionUpdate: z.literal(sessionUpdate), ...shape });
}

const exitStatus = z.looseObject({ exitCode: count, signal: text }).nullish().catch(undefined);

/** A session update, in version 1 or 2. Most updates are the same in both. */
export const SessionUpdate = z.discriminatedUnion("sessionUpdate", [
  chunk("agent_message_chunk"),
  chunk("agent_thought_chunk"),
  chunk("user_message_chunk"),
  complete("agent_message"),
  complete("agent_thought"),
  complete("user_message"),
  updateOf("tool_call", ToolCall.shape),
  updateOf("tool_call_update", ToolCall.shape),
  updateOf("tool_call_content_chunk", { toolCallId: z.string(), content: ToolContent }),
  updateOf("terminal_update", {
    terminalId: z.string(),
    command: text,
    output: z.looseObject({ data: z.string() }).nullish().catch(undefined),
    exitStatus,
  }),
  updateOf("terminal_output_chunk", { terminalId: z.string(), data: z.string() }),
  updateOf("state_update", {
    state: z.string(),
    stopReason: text,
    /** Any value except null, even a malformed one, is treated as an error. */
    error: z.unknown().optional(),
    usage: AcpTurnUsage.nullish().catch(undefined),
  }),
  updateOf("plan", { entries: z.array(PlanEntry) }),
  updateOf("plan_update", {
    plan: z.looseObject({ entries: z.array(PlanEntry).nullish(), content: text }),
  }),
  updateOf("usage_update", {
    used: count,
    size: count,
    cost: z.looseObject({ amount: z.number(), currency: z.string() }).nullish().catch(undefined),
  }),
  updateOf("notice", { severity: text, title: text, description: text }),
  updateOf("compaction_update", { status: text, error: text }),
  updateOf("current_mode_update", { currentModeId: z.string() }),
  updateOf("session_info_update", {}),
  updateOf("available_commands_update", {}),
  updateOf("config_option_update", {}),
  updateOf("compaction_summary_chunk", {}),
]);
export type SessionUpdate = z.infer<typeof SessionUpdate>;

/** The update whose `sessionUpdate` is `T`. */
export type Update<T extends SessionUpdate["sessionUpdate"]> = Extract<
  SessionUpdate,
  { sessionUpdate: T }
>;

/** Reads a JSON-RPC error. Accepts any value, because some agents do not send the standard shape. */
export function readError(error: unknown): RpcError {
  return RpcError.safeParse(error).data ?? { code: 0, message: String(error) };
}
