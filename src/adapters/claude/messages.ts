import { z } from "zod";
import { count, sum, words } from "../../core/message-fields.ts";
import { SystemMessage } from "./system-messages.ts";

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

/** What becomes of one message to Claude; not told by 2.1.197. */
const CommandLifecycle = z.looseObject({
  type: z.literal("command_lifecycle"),
  command_uuid: z.string(),
  state: z.string(),
});
export type CommandLifecycle = z.infer<typeof CommandLifecycle>;

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
