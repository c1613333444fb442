import { z } from "zod";
import { count, flag, words } from "../../core/message-fields.ts";

/** A block of a message's content; the kinds that are not read have none of these fields. */
const Block = z.looseObject({
  type: z.string(),
  text: words,
  thinking: words,
  id: words,
  name: words,
  input: z.unknown().optional(),
});
export type Block = z.infer<typeof Block>;

const Content = z.union([z.string(), z.array(Block)]).catch([]);

const ToolUse = z.looseObject({
  id: z.string(),
  name: z.string(),
  input: z.unknown().optional(),
});
export type ToolUse = z.infer<typeof ToolUse>;

const TokenUsage = z.looseObject({
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  cacheCreationTokens: count,
  cacheReadTokens: count,
  thinkingTokens: count,
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** Half of it would be wrong. */
const usage = TokenUsage.optional().catch(undefined);

const piece = { messageId: z.string(), blockIndex: z.number().optional(), textDelta: z.string() };

const spoken = [
  z.looseObject({ type: z.literal("assistant_text_delta"), ...piece }),
  z.looseObject({ type: z.literal("thinking_text_delta"), ...piece }),
  /** The attempt so far is void; the next one may come under the same id. */
  z.looseObject({ type: z.literal("assistant_message_retracted"), messageId: z.string() }),
  z.looseObject({
    type: z.literal("llm_retry"),
    attempt: z.number().optional().catch(undefined),
    reason: words,
  }),
  z.looseObject({
    type: z.literal("create_message"),
    message: z.looseObject({
      id: z.string(),
      role: z.string(),
      content: Content,
      visibility: words,
    }),
    /** The id of the request that brought the message, where it is the user's. */
    requestId: words,
  }),
] as const;

const used = [
  /** Told again and again while the model still writes the input. */
  z.looseObject({ type: z.literal("tool_call"), toolUse: ToolUse }),
  z.looseObject({
    type: z.literal("tool_execution_phase_changed"),
    toolUseId: z.string(),
    toolName: z.string().catch("unknown"),
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    toolUseId: z.string(),
    content: Content,
    isError: flag,
  }),
] as const;

const state = [
  z.looseObject({ type: z.literal("droid_working_state_changed"), newState: z.string() }),
  z.looseObject({
    type: z.literal("agent_turn_completed"),
    reason: z.string().catch("unknown"),
    /** The id of the user's message that began it. */
    turnId: words,
    tokenUsage: usage,
    cumulativeTokenUsage: usage,
    /** What agents cost that this one had work for it. */
    childTokenUsage: usage,
  }),
  z.looseObject({
    type: z.literal("error"),
    message: z.string().catch("Droid met an error and did not say which"),
  }),
  z.looseObject({ type: z.literal("session_compacted") }),
  z.looseObject({
    type: z.literal("queued_messages_discarded"),
    text: z.string().catch(""),
    requestId: words,
  }),
  z.looseObject({ type: z.literal("permission_resolved"), requestId: z.string() }),
  z.looseObject({
    type: z.literal("mcp_auth_required"),
    serverName: z.string(),
    message: z.string(),
  }),
  z.looseObject({
    type: z.literal("mcp_status_changed"),
    servers: z
      .array(z.looseObject({ name: z.string(), status: z.string(), error: words }))
      .default([]),
  }),
] as const;

/** What only keeps a screen up to date, or repeats what another message says. */
const noise = z.looseObject({
  type: z.enum([
    "assistant_text_complete",
    "thinking_text_complete",
    "tool_progress_update",
    "tool_execution_heartbeat",
    "settings_updated",
    "session_title_updated",
    "session_token_usage_changed",
    "mcp_auth_completed",
    "hook_execution_started",
    "hook_execution_completed",
    "structured_output",
    "loop_state_changed",
    "mission_state_changed",
    "mission_features_changed",
    "mission_progress_entry",
    "mission_heartbeat",
    "mission_worker_started",
    "mission_worker_completed",
  ]),
});

const Notification = z.discriminatedUnion("type", [...spoken, ...used, ...state, noise]);
export type Notification = z.infer<typeof Notification>;

const PermissionRequest = z.looseObject({
  type: z.literal("request"),
  method: z.literal("droid.request_permission"),
  id: z.string(),
  params: z.looseObject({
    toolUses: z.array(z.looseObject({ toolUse: ToolUse })),
    options: z.array(z.looseObject({ label: words, value: z.string() })).catch([]),
  }),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

const QuestionRequest = z.looseObject({
  type: z.literal("request"),
  method: z.literal("droid.ask_user"),
  id: z.string(),
  params: z.looseObject({
    toolCallId: words,
    questions: z.array(
      z.looseObject({
        index: z.number(),
        question: z.string(),
        options: z.array(z.string()).catch([]),
      }),
    ),
  }),
});
export type QuestionRequest = z.infer<typeof QuestionRequest>;

/** What Droid wants to have answered. */
export const ServerRequest = z.discriminatedUnion("method", [PermissionRequest, QuestionRequest]);
export type ServerRequest = z.infer<typeof ServerRequest>;

/** The answer to a request of ours. */
export const Response = z.looseObject({
  type: z.literal("response"),
  /** None where the request could not be read. */
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.looseObject({ sessionId: words }).optional().catch(undefined),
  /** Whatever it is, it is one. */
  error: z.unknown().optional(),
});
export type Response = z.infer<typeof Response>;

/** What Droid says over stream-jsonrpc: only what is read. Written for 0.215 and 0.225. */
export const DroidMessage = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("notification"),
    method: z.literal("droid.session_notification"),
    params: z.looseObject({ notification: Notification }),
  }),
  ServerRequest,
  Response,
]);
export type DroidMessage = z.infer<typeof DroidMessage>;
