import { z } from "zod";

/** One block of an assistant's message or of a tool's result; blocks we do not read have neither text. */
const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
});
export type Block = z.infer<typeof Block>;

const count = z.number().int().nonnegative();

const Usage = z.looseObject({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: z.looseObject({ total: z.number().nonnegative() }).optional(),
});

const AssistantMessage = z.looseObject({
  role: z.literal("assistant"),
  content: z.array(Block),
  /** When the model began to answer: the only name a message has while it streams. */
  timestamp: z.number(),
  usage: Usage.optional(),
  stopReason: z.string(),
  errorMessage: z.string().optional(),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

/** The echo of what was sent, a tool's result (told by its own events too), and whatever extensions add. */
const OtherMessage = z.looseObject({
  role: z.string().refine((role) => role !== "assistant"),
});

const AgentMessage = z.union([AssistantMessage, OtherMessage]);

/** A piece of the assistant's message; the kinds that only open or close a block carry no `delta`. */
const AssistantMessageEvent = z.looseObject({
  type: z.string(),
  contentIndex: z.number().optional(),
  delta: z.string().optional(),
});

/** Messages that only keep Pi's own screen up to date, or that repeat what another one says. */
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
 * What Pi says, the same in process, over RPC and in `--mode json`: only the kinds and the fields that are read.
 * Written for 0.74 and 0.87.
 */
export const PiMessage = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("session"), id: z.string() }),
  z.looseObject({ type: z.literal("agent_start") }),
  /** Ends one attempt; 0.87 says whether another one follows, and ends it all with `agent_settled`. */
  z.looseObject({ type: z.literal("agent_end"), willRetry: z.boolean().optional() }),
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
    toolName: z.string(),
    result: z.looseObject({ content: z.array(Block), details: z.unknown().optional() }),
    isError: z.boolean(),
  }),
  z.looseObject({
    type: z.literal("auto_retry_start"),
    attempt: z.number(),
    maxAttempts: z.number(),
    delayMs: z.number(),
    errorMessage: z.string(),
  }),
  z.looseObject({
    type: z.literal("auto_retry_end"),
    success: z.boolean(),
    finalError: z.string().optional(),
  }),
  z.looseObject({ type: z.literal("compaction_start"), reason: z.string() }),
  z.looseObject({
    type: z.literal("compaction_end"),
    reason: z.string(),
    aborted: z.boolean(),
    willRetry: z.boolean(),
    errorMessage: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal("response"),
    command: z.string(),
    success: z.boolean(),
    id: z.string().optional(),
    error: z.string().optional(),
    data: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.literal("extension_ui_request"),
    id: z.string(),
    method: z.string(),
    title: z.string().optional(),
    message: z.string().optional(),
    placeholder: z.string().optional(),
    options: z.array(z.string()).optional(),
  }),
  z.looseObject({ type: z.literal("extension_error"), event: z.string(), error: z.string() }),
  z.looseObject({ type: z.enum(noise) }),
]);
export type PiMessage = z.infer<typeof PiMessage>;
