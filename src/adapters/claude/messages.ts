import { z } from "zod";

/** What is not as we know it is left out, so that the message around it is still understood. */
const words = z.string().optional().catch(undefined);
const count = z.int().nonnegative().optional().catch(undefined);
const sum = z.number().nonnegative().optional().catch(undefined);
const uuids = z.array(z.string()).optional().catch(undefined);

/** One block of what the assistant or a tool said. */
const Block = z.looseObject({
  type: z.string(),
  text: words,
  thinking: words,
  id: words,
  name: words,
  input: z.unknown().optional(),
  tool_use_id: words,
  content: z.unknown().optional(),
  is_error: z.boolean().optional().catch(undefined),
});
export type Block = z.infer<typeof Block>;

/** A text stands for a single block of it. */
const Content = z
  .union([z.array(Block), z.string().transform((text): Block[] => [{ type: "text", text }])])
  .catch([]);

const AssistantMessage = z.looseObject({
  type: z.literal("assistant"),
  uuid: words,
  message: z.looseObject({ id: words, model: words, content: Content }),
  /** The call of the subagent that said it. */
  parent_tool_use_id: z.string().nullish().catch(undefined),
  subagent_type: words,
  /** The request to the model failed: these are Claude's words about it, not the model's. */
  error: words,
  is_api_error_message: z.boolean().optional().catch(undefined),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

const UserMessage = z.looseObject({
  type: z.literal("user"),
  message: z.looseObject({ content: Content }),
  /** A tool's result as its program knows it; a text where the tool failed. */
  tool_use_result: z.unknown().optional(),
});
export type UserMessage = z.infer<typeof UserMessage>;

/** One event of the model's own stream. */
const StreamEvent = z.looseObject({
  type: z.literal("stream_event"),
  uuid: words,
  parent_tool_use_id: z.string().nullish().catch(undefined),
  event: z.looseObject({
    type: z.string(),
    index: z.number().optional(),
    message: z.looseObject({ id: words }).optional(),
    content_block: z.looseObject({ type: z.string() }).optional(),
    delta: z.looseObject({ text: words, thinking: words }).optional(),
  }),
  /** At the end of a message: from this block on nothing of it counts. */
  abandoned_blocks: z.looseObject({ from_block_index: z.number() }).optional().catch(undefined),
});
export type StreamEvent = z.infer<typeof StreamEvent>;

const ModelUsage = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  thinkingTokens: count,
  costUSD: sum,
});

/** The end of a turn. `subtype` says `success` for failures of the model too: `is_error` is what counts. */
const ResultMessage = z.looseObject({
  type: z.literal("result"),
  subtype: words,
  is_error: z.boolean().optional().catch(undefined),
  result: words,
  errors: z.array(z.string()).optional().catch(undefined),
  terminal_reason: words,
  stop_reason: z.string().nullish().catch(undefined),
  api_error_status: z.number().nullish().catch(undefined),
  /** Of the main loop in this turn. */
  usage: z
    .looseObject({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      output_tokens_details: z.looseObject({ thinking_tokens: count }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** Of all that ran since the last end, subagents too; 2.1.197 does not tell it. */
  model_usage_since_last_result: z.record(z.string(), ModelUsage).optional().catch(undefined),
  /** Of the process so far; where it was resumed, 2.1.325 goes on counting and 2.1.197 does not. */
  total_cost_usd: sum,
});
export type ResultMessage = z.infer<typeof ResultMessage>;

const ControlRequest = z.looseObject({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({
    subtype: z.string(),
    tool_name: words,
    tool_use_id: words,
    input: z.record(z.string(), z.unknown()).optional().catch(undefined),
    decision_reason: words,
  }),
});
export type ControlRequest = z.infer<typeof ControlRequest>;

const ControlResponse = z.looseObject({
  type: z.literal("control_response"),
  response: z.looseObject({ subtype: z.string(), request_id: z.string(), error: words }),
});
export type ControlResponse = z.infer<typeof ControlResponse>;

const system = { type: z.literal("system") };

/** What becomes of one message to Claude; not told by 2.1.197. */
const CommandLifecycle = z.looseObject({
  type: z.literal("command_lifecycle"),
  command_uuid: z.string(),
  state: z.string(),
});
export type CommandLifecycle = z.infer<typeof CommandLifecycle>;

/** Begins every turn anew. */
const Init = z.looseObject({
  ...system,
  subtype: z.literal("init"),
  session_id: words,
  model: words,
  permissionMode: words,
  claude_code_version: words,
  capabilities: z.array(z.string()).optional().catch(undefined),
  /** The messages that began it; a turn that Claude began by itself has none. */
  user_message_uuids: uuids,
  mcp_servers: z
    .array(z.looseObject({ name: z.string(), status: z.string(), source: words }))
    .optional()
    .catch(undefined),
});
export type Init = z.infer<typeof Init>;

const SystemMessage = z.discriminatedUnion("subtype", [
  Init,
  z.looseObject({
    ...system,
    subtype: z.literal("status"),
    status: z.string().nullish().catch(undefined),
    permissionMode: words,
    compact_result: words,
    compact_error: words,
  }),
  z.looseObject({
    ...system,
    subtype: z.literal("compact_boundary"),
    compact_metadata: z
      .looseObject({ trigger: words, pre_tokens: count, post_tokens: count })
      .optional()
      .catch(undefined),
  }),
  z.looseObject({
    ...system,
    subtype: z.literal("api_retry"),
    attempt: count,
    max_retries: count,
    retry_delay_ms: sum,
    error_status: z.number().nullish().catch(undefined),
    error: words,
  }),
  z.looseObject({
    ...system,
    subtype: z.enum(["informational", "model_refusal_fallback", "model_refusal_no_fallback"]),
    content: words,
    level: words,
  }),
  z.looseObject({ ...system, subtype: z.literal("notification"), text: words }),
  z.looseObject({ ...system, subtype: z.literal("local_command_output"), content: words }),
  z.looseObject({ ...system, subtype: z.literal("session_writes_lost") }),
  z.looseObject({
    ...system,
    subtype: z.literal("hook_response"),
    hook_name: words,
    stderr: words,
    outcome: words,
  }),
  z.looseObject({
    ...system,
    subtype: z.enum(["task_started", "task_notification"]),
    tool_use_id: words,
    description: words,
    subagent_type: words,
    status: words,
    summary: words,
  }),
  z.looseObject({
    ...system,
    /** What only keeps a screen up to date, or repeats what another message says. */
    subtype: z.enum([
      "background_tasks_changed",
      "commands_changed",
      "control_request_progress",
      "elicitation_complete",
      "files_persisted",
      "hook_progress",
      "hook_started",
      "memory_recall",
      "mirror_error",
      "permission_denied",
      "plugin_install",
      "session_state_changed",
      "task_progress",
      "task_updated",
      "thinking_tokens",
      "worker_shutting_down",
    ]),
  }),
]);
export type SystemMessage = z.infer<typeof SystemMessage>;

/**
 * What Claude Code says as stream-json, and the Agent SDK after it: only the kinds and the fields that are read.
 * Written for 2.1.197 and 2.1.325.
 */
export const ClaudeMessage = z.discriminatedUnion("type", [
  SystemMessage,
  StreamEvent,
  AssistantMessage,
  UserMessage,
  ResultMessage,
  ControlRequest,
  ControlResponse,
  CommandLifecycle,
  /** It no longer waits for an answer. */
  z.looseObject({ type: z.literal("control_cancel_request"), request_id: z.string() }),
  z.looseObject({ type: z.literal("conversation_reset") }),
  z.looseObject({
    type: z.literal("rate_limit_event"),
    rate_limit_info: z.looseObject({ status: words }).optional().catch(undefined),
  }),
  z.looseObject({ type: z.literal("auth_status"), error: words }),
  z.looseObject({
    type: z.enum([
      "active_goal",
      "keep_alive",
      "prompt_suggestion",
      "tool_progress",
      "tool_use_summary",
    ]),
  }),
]);
export type ClaudeMessage = z.infer<typeof ClaudeMessage>;
