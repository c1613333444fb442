import { z } from "zod";
import { count, flag, words } from "../../adapter-kit/message-fields.ts";

/** A content block in a message. Block types that the mapper ignores have none of these fields. */
const Block = z.looseObject({
  type: z.string(),
  text: words,
  thinking: words,
  id: words,
  name: words,
  input: z.unknown().optional(),
});
export type ContentBlock = z.infer<typeof Block>;

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

/** Token usage. If a required field is invalid, the whole usage is dropped. */
const usage = TokenUsage.optional().catch(undefined);

const delta = { messageId: z.string(), blockIndex: z.number().optional(), textDelta: z.string() };

const messageNotifications = [
  z.looseObject({ type: z.literal("assistant_text_delta"), ...delta }),
  z.looseObject({ type: z.literal("thinking_text_delta"), ...delta }),
  /** Invalidates the current attempt. The next attempt may have the same id. */
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
    /** The id of the request that sent the message. Set for a user message. */
    requestId: words,
  }),
] as const;

const toolNotifications = [
  /** Repeated while the model writes the tool's input. */
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

const stateNotifications = [
  z.looseObject({ type: z.literal("droid_working_state_changed"), newState: z.string() }),
  z.looseObject({
    type: z.literal("agent_turn_completed"),
    reason: z.string().catch("unknown"),
    /** The id of the user message that started the turn. */
    turnId: words,
    tokenUsage: usage,
    cumulativeTokenUsage: usage,
    /** The usage of the subagents. */
    childTokenUsage: usage,
  }),
  z.looseObject({
    type: z.literal("session_token_usage_changed"),
    /** The session's running totals: `tokenUsage` without its subagents, `inclusiveTokenUsage` with them. */
    tokenUsage: usage,
    inclusiveTokenUsage: usage,
    /** The usage of the last model request. */
    lastCallTokenUsage: usage,
  }),
  z.looseObject({
    type: z.literal("error"),
    message: z.string().catch("Droid reported an error without a message"),
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

/** Notifications that only update a screen or repeat another message. */
const ignoredNotification = z.looseObject({
  type: z.enum([
    "assistant_text_complete",
    "thinking_text_complete",
    "tool_progress_update",
    "tool_execution_heartbeat",
    "settings_updated",
    "session_title_updated",
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

const Notification = z.discriminatedUnion("type", [
  ...messageNotifications,
  ...toolNotifications,
  ...stateNotifications,
  ignoredNotification,
]);
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

/** A request whose answer Droid is waiting for. */
export const ServerRequest = z.discriminatedUnion("method", [PermissionRequest, QuestionRequest]);
export type ServerRequest = z.infer<typeof ServerRequest>;

/** Droid's response to a client request. */
export const Response = z.looseObject({
  type: z.literal("response"),
  /** Null if Droid could not parse the request. */
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.looseObject({ sessionId: words }).optional().catch(undefined),
  /** Any value except null, even a malformed one, is treated as an error. */
  error: z.unknown().optional(),
});
export type Response = z.infer<typeof Response>;

/** Droid's stream-jsonrpc messages, reduced to the fields that are read. Covers versions 0.215 to 0.225. */
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
