import { z } from "zod";
import { flag, words } from "../../adapter-kit/message-fields.ts";

const number = z.number().optional().catch(undefined);
const Metadata = z.looseObject({}).optional().catch(undefined);

/** An error from OpenCode. */
export const NativeError = z.looseObject({
  name: z.string().catch("an unknown error"),
  data: z
    .looseObject({ message: words, responseBody: words, statusCode: number })
    .optional()
    .catch(undefined),
});
export type NativeError = z.infer<typeof NativeError>;

/** A message without its parts. There is one assistant message per model call. */
export const MessageInfo = z.looseObject({
  id: z.string(),
  sessionID: words,
  role: z.enum(["user", "assistant"]),
  /** The id of the user message that this message answers. */
  parentID: words,
  time: z.looseObject({ completed: number }).optional().catch(undefined),
  finish: words,
  error: NativeError.optional().catch(undefined),
  /** `true` for an assistant message that summarizes the history. Another value for user messages. */
  summary: z.unknown().optional(),
});
export type MessageInfo = z.infer<typeof MessageInfo>;

const Tokens = z.looseObject({
  input: z.number(),
  output: z.number(),
  reasoning: number,
  cache: z.looseObject({ read: number, write: number }).optional().catch(undefined),
});

/** The state of a tool: `pending` (no input yet), `running`, `completed` or `error`. */
export const ToolState = z.looseObject({
  status: z.string(),
  input: z.unknown().optional(),
  output: words,
  error: words,
  metadata: Metadata,
});
export type ToolState = z.infer<typeof ToolState>;

/** A part of a message. OpenCode sends the complete part whenever it changes. */
export const Part = z.looseObject({
  id: z.string(),
  messageID: z.string(),
  sessionID: words,
  type: z.string(),
  text: words,
  synthetic: flag,
  ignored: flag,
  time: z.looseObject({ end: number }).optional().catch(undefined),
  tool: words,
  callID: words,
  state: ToolState.optional().catch(undefined),
  /** The reason why a step ended. */
  reason: words,
  tokens: Tokens.optional().catch(undefined),
  cost: number,
});
export type Part = z.infer<typeof Part>;

export const NativeSessionInfo = z.looseObject({
  id: z.string(),
  directory: words,
  /** The parent session, if this is a subagent's session. */
  parentID: words,
});

export const SessionStatus = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("idle") }),
  z.looseObject({ type: z.literal("busy") }),
  z.looseObject({
    type: z.literal("retry"),
    attempt: number,
    message: words,
    /** The time at which OpenCode retries the request, in milliseconds since 1970. */
    next: number,
  }),
]);

const ofCall = z.looseObject({ callID: words }).optional().catch(undefined);

export const Permission = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  permission: z.string(),
  patterns: z.array(z.string()).optional().catch(undefined),
  metadata: Metadata,
  tool: ofCall,
});
export type Permission = z.infer<typeof Permission>;

/** A permission request in versions before 1.1. */
const OldPermission = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  type: z.string(),
  title: words,
  callID: words,
  metadata: Metadata,
});

export const Question = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  questions: z.array(
    z.looseObject({
      question: z.string(),
      multiple: flag,
      options: z
        .array(z.looseObject({ label: z.string(), description: words }))
        .optional()
        .catch(undefined),
    }),
  ),
  tool: ofCall,
});
export type Question = z.infer<typeof Question>;

const sessionID = words;

/** The fields of an event for a settled request. Versions before 1.1 use `permissionID` and `response`. */
const ofRequest = { requestID: words, permissionID: words, response: words };

/** The events that are mapped. Other events are ignored or unknown. */
export const OpenCodeEvent = z.discriminatedUnion("type", [
  event("message.updated", { sessionID, info: MessageInfo }),
  /** Versions before 1.1 send the added text in `delta`. */
  event("message.part.updated", { sessionID, part: Part, delta: words }),
  event("message.part.delta", {
    sessionID,
    messageID: z.string(),
    partID: z.string(),
    field: z.string(),
    delta: z.string(),
  }),
  event("session.created", { sessionID, info: NativeSessionInfo }),
  event("session.updated", { sessionID, info: NativeSessionInfo }),
  event("session.status", { sessionID: z.string(), status: SessionStatus }),
  event("session.idle", { sessionID: z.string() }),
  event("session.error", { sessionID, error: NativeError.optional().catch(undefined) }),
  event("session.compacted", { sessionID: z.string() }),
  event("todo.updated", { sessionID: z.string(), todos: z.array(z.unknown()) }),
  event("permission.asked", Permission.shape),
  event("permission.updated", OldPermission.shape),
  event("question.asked", Question.shape),
  event("permission.replied", { sessionID, ...ofRequest, reply: words }),
  event("question.replied", { sessionID, ...ofRequest }),
  event("question.rejected", { sessionID, ...ofRequest }),
]);
export type OpenCodeEvent = z.infer<typeof OpenCodeEvent>;

function event<T extends string, S extends z.ZodRawShape>(type: T, properties: S) {
  return z.looseObject({ type: z.literal(type), properties: z.looseObject(properties) });
}
