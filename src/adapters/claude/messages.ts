import { z } from "zod";
import { count, sum, words } from "../../adapter-kit/message-fields.ts";
import { SystemMessage } from "./events/system-messages.ts";

/** A content block in an assistant message or a tool result. */
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
export type ContentBlock = z.infer<typeof Block>;

/** A plain string is equivalent to a single text block. */
const Content = z
  .union([z.array(Block), z.string().transform((text): ContentBlock[] => [{ type: "text", text }])])
  .catch([]);

const MessageUsage = z
  .looseObject({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    output_tokens_details: z.looseObject({ thinking_tokens: count }).optional().catch(undefined),
  })
  .optional()
  .catch(undefined);

const AssistantMessage = z.looseObject({
  type: z.literal("assistant"),
  uuid: words,
  message: z.looseObject({ id: words, model: words, content: Content, usage: MessageUsage }),
  /** If a subagent wrote the message: the id of the tool call that started the subagent. */
  parent_tool_use_id: z.string().nullish().catch(undefined),
  subagent_type: words,
  /** Set if the model request failed. The message is then Claude's error text, not the model's response. */
  error: words,
  is_api_error_message: z.boolean().optional().catch(undefined),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

const UserMessage = z.looseObject({
  type: z.literal("user"),
  message: z.looseObject({ content: Content }),
  /** The tool's structured result, or a text if the tool failed. */
  tool_use_result: z.unknown().optional(),
});
export type UserMessage = z.infer<typeof UserMessage>;

/** An event from the model's response stream. */
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
    usage: MessageUsage,
  }),
  /** Set at the end of a message if its blocks from this index on are invalid. */
  abandoned_blocks: z.looseObject({ from_block_index: z.number() }).optional().catch(undefined),
});
export type NativeStreamEvent = z.infer<typeof StreamEvent>;

const ModelUsage = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  thinkingTokens: count,
  costUSD: sum,
});

/** The end of a turn. `subtype` is `success` for model errors too; `is_error` is authoritative. */
const ResultMessage = z.looseObject({
  type: z.literal("result"),
  subtype: words,
  is_error: z.boolean().optional().catch(undefined),
  result: words,
  errors: z.array(z.string()).optional().catch(undefined),
  terminal_reason: words,
  stop_reason: z.string().nullish().catch(undefined),
  api_error_status: z.number().nullish().catch(undefined),
  /** The usage of the main loop in this turn, without subagents. */
  usage: MessageUsage,
  /** The usage since the last result, including subagents. Not sent by 2.1.197. */
  model_usage_since_last_result: z.record(z.string(), ModelUsage).optional().catch(undefined),
  /** The process's total cost. After a resume, 2.1.325 continues the old total and 2.1.197 starts at 0. */
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

/** A subscription's usage window. Not sent if Claude uses an API key. */
const RateLimitInfo = z.looseObject({
  status: words,
  /** When the window resets, in seconds since 1970. */
  resetsAt: sum,
  rateLimitType: words,
  /** The used fraction of the window, from 0 to 1. */
  utilization: sum,
});
export type RateLimitInfo = z.infer<typeof RateLimitInfo>;

/** The state of a message that was sent to Claude. Not sent by 2.1.197. */
const CommandLifecycle = z.looseObject({
  type: z.literal("command_lifecycle"),
  command_uuid: z.string(),
  state: z.string(),
});
export type CommandLifecycle = z.infer<typeof CommandLifecycle>;

/**
 * The stream-json messages that Claude Code and the Agent SDK send, limited to the types that Halyard knows and the
 * fields that it reads. Based on versions 2.1.197 and 2.1.325.
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
  /** Sent when Claude no longer waits for the answer. */
  z.looseObject({ type: z.literal("control_cancel_request"), request_id: z.string() }),
  z.looseObject({ type: z.literal("conversation_reset") }),
  z.looseObject({
    type: z.literal("rate_limit_event"),
    rate_limit_info: RateLimitInfo.optional().catch(undefined),
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
