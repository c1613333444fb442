import { z } from "zod";
import { count, flag, words } from "../../adapter-kit/message-fields.ts";

/** A content block in an assistant message or a tool result. Blocks of other types have no text. */
const Block = z.looseObject({
  type: z.string(),
  text: words,
  thinking: words,
});
export type ContentBlock = z.infer<typeof Block>;

const Content = z.array(Block).catch([]);

const Usage = z.looseObject({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
  cacheRead: count,
  cacheWrite: count,
  cost: z.looseObject({ total: z.number().nonnegative() }).optional().catch(undefined),
});

const AssistantMessage = z.looseObject({
  role: z.literal("assistant"),
  content: Content,
  /** The time at which the model's response started, which identifies the message while it streams. */
  timestamp: z.number().catch(0),
  usage: Usage.optional().catch(undefined),
  stopReason: z.string().catch("unknown"),
  errorMessage: words,
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

/** The echo of a user message, a tool result (which has its own events), or an extension's message. */
const OtherMessage = z.looseObject({
  role: z.string().refine((role) => role !== "assistant"),
});

const AgentMessage = z.union([AssistantMessage, OtherMessage]);

/** A stream event for the assistant's message. Events that only open or close a block have no `delta`. */
const AssistantMessageEvent = z.looseObject({
  type: z.string(),
  contentIndex: z.number().optional(),
  delta: z.string().optional(),
});

/** Messages that only update Pi's own screen or repeat another message. */
const noise = [
  "turn_start",
  "turn_end",
  "tool_execution_update",
  "queue_update",
  "session_info_changed",
  "thinking_level_changed",
  "entry_appended",
] as const;

/**
 * Pi's messages, limited to the types that Halyard knows and the fields that it reads. The messages are the same in
 * process, over RPC and in `--mode json`. Based on versions 0.74 and 0.87.
 */
export const PiMessage = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("session"), id: z.string() }),
  z.looseObject({ type: z.literal("agent_start") }),
  /** The end of one attempt. 0.87 sets `willRetry` and sends `agent_settled` after the last attempt. */
  z.looseObject({ type: z.literal("agent_end"), willRetry: flag }),
  z.looseObject({ type: z.literal("agent_settled") }),
  z.looseObject({ type: z.literal("message_start"), message: AgentMessage }),
  z.looseObject({
    type: z.literal("message_update"),
    assistantMessageEvent: AssistantMessageEvent,
  }),
  z.looseObject({ type: z.literal("message_end"), message: AgentMessage }),
  z.looseObject({
    type: z.literal("tool_execution_start"),
    toolCallId: z.string(),
    toolName: z.string(),
    args: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.literal("tool_execution_end"),
    toolCallId: z.string(),
    toolName: words,
    result: z
      .looseObject({ content: Content, details: z.unknown().optional() })
      .catch({ content: [] }),
    isError: z.boolean().catch(false),
  }),
  z.looseObject({
    type: z.literal("auto_retry_start"),
    attempt: count,
    maxAttempts: count,
    delayMs: z.number().optional().catch(undefined),
    errorMessage: words,
  }),
  z.looseObject({ type: z.literal("auto_retry_end"), success: z.boolean() }),
  z.looseObject({ type: z.literal("compaction_start"), reason: words }),
  z.looseObject({
    type: z.literal("compaction_end"),
    reason: words,
    aborted: flag,
    willRetry: flag,
    errorMessage: words,
  }),
  z.looseObject({
    type: z.literal("response"),
    command: z.string(),
    success: z.boolean(),
    id: words,
    error: words,
    data: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.literal("extension_ui_request"),
    id: z.string(),
    method: z.string(),
    title: words,
    message: words,
    placeholder: words,
    options: z.array(z.string()).optional().catch(undefined),
  }),
  z.looseObject({ type: z.literal("extension_error"), event: z.string(), error: z.string() }),
  z.looseObject({ type: z.enum(noise) }),
]);
export type PiMessage = z.infer<typeof PiMessage>;
