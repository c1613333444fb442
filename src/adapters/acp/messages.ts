import { z } from "zod";

// What is not as we know it is left out, so that the message around it is still understood.
const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);

/** A piece of what is said or shown; only text can be told in words. */
export const ContentBlock = z.looseObject({
  type: z.string(),
  text,
  uri: text,
  mimeType: text,
  resource: z.looseObject({ text, uri: text }).nullish().catch(undefined),
});
export type ContentBlock = z.infer<typeof ContentBlock>;

/** What a tool shows of its work, in either version's words. */
export const ToolContent = z.looseObject({
  type: z.string(),
  /** `content` */
  content: ContentBlock.nullish().catch(undefined),
  /** `diff` of version 1: the file, or the part of it that changes. */
  path: text,
  oldText: text,
  newText: text,
  /** `diff` of version 2. */
  changes: z
    .array(z.looseObject({ path: text, oldPath: text }))
    .nullish()
    .catch(undefined),
  patch: z.looseObject({ text }).nullish().catch(undefined),
  /** `terminal` */
  terminalId: text,
});
export type ToolContent = z.infer<typeof ToolContent>;

/** A tool call, whole or as far as it has changed: what is left out stays as it was. */
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

export const TurnUsage = z.looseObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: count,
  thoughtTokens: count,
  cachedReadTokens: count,
  cachedWriteTokens: count,
});
export type TurnUsage = z.infer<typeof TurnUsage>;

const PlanEntry = z.looseObject({ content: z.string(), status: text });
export type PlanEntry = z.infer<typeof PlanEntry>;

function chunk<T extends string>(sessionUpdate: T) {
  const shape = { sessionUpdate: z.literal(sessionUpdate), messageId: text, content: ContentBlock };
  return z.looseObject(shape);
}

function whole<T extends string>(sessionUpdate: T) {
  const content = z.array(ContentBlock).nullish();
  return z.looseObject({ sessionUpdate: z.literal(sessionUpdate), messageId: text, content });
}

function about<T extends string, S extends z.ZodRawShape>(sessionUpdate: T, shape: S) {
  return z.looseObject({ sessionUpdate: z.literal(sessionUpdate), ...shape });
}

const exitStatus = z.looseObject({ exitCode: count, signal: text }).nullish().catch(undefined);

/** What an agent tells about its session: the words of version 1 and of version 2, which share most. */
export const SessionUpdate = z.discriminatedUnion("sessionUpdate", [
  chunk("agent_message_chunk"),
  chunk("agent_thought_chunk"),
  chunk("user_message_chunk"),
  whole("agent_message"),
  whole("agent_thought"),
  whole("user_message"),
  about("tool_call", ToolCall.shape),
  about("tool_call_update", ToolCall.shape),
  about("tool_call_content_chunk", { toolCallId: z.string(), content: ToolContent }),
  about("terminal_update", {
    terminalId: z.string(),
    command: text,
    output: z.looseObject({ data: z.string() }).nullish().catch(undefined),
    exitStatus,
  }),
  about("terminal_output_chunk", { terminalId: z.string(), data: z.string() }),
  about("state_update", {
    state: z.string(),
    stopReason: text,
    /** Whatever it is, it is one. */
    error: z.unknown().optional(),
    usage: TurnUsage.nullish().catch(undefined),
  }),
  about("plan", { entries: z.array(PlanEntry) }),
  about("plan_update", {
    plan: z.looseObject({ entries: z.array(PlanEntry).nullish(), content: text }),
  }),
  about("usage_update", {
    used: count,
    size: count,
    cost: z.looseObject({ amount: z.number(), currency: z.string() }).nullish().catch(undefined),
  }),
  about("notice", { severity: text, title: text, description: text }),
  about("compaction_update", { status: text, error: text }),
  about("current_mode_update", { currentModeId: z.string() }),
  about("session_info_update", {}),
  about("available_commands_update", {}),
  about("config_option_update", {}),
  about("compaction_summary_chunk", {}),
]);
export type SessionUpdate = z.infer<typeof SessionUpdate>;

/** An update of one kind. */
export type Update<T extends SessionUpdate["sessionUpdate"]> = Extract<
  SessionUpdate,
  { sessionUpdate: T }
>;

/** Not every agent keeps to the shape. */
export function readError(error: unknown): RpcError {
  return RpcError.safeParse(error).data ?? { code: 0, message: String(error) };
}
