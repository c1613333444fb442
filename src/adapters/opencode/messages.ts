import { z } from "zod";

/** What went wrong, in OpenCode's words. */
export const NativeError = z.looseObject({
  name: z.string(),
  data: z
    .looseObject({ message: z.string().optional(), responseBody: z.string().optional() })
    .optional(),
});
export type NativeError = z.infer<typeof NativeError>;

/** A message without what it says. The assistant's has one per call of the model. */
export const MessageInfo = z.looseObject({
  id: z.string(),
  sessionID: z.string().optional(),
  role: z.enum(["user", "assistant"]),
  /** The message of the user's that it answers. */
  parentID: z.string().optional(),
  time: z.looseObject({ completed: z.number().optional() }).optional(),
  finish: z.string().optional(),
  error: NativeError.optional(),
  /** `true` on what the assistant wrote to shorten the history; something else on what the user wrote. */
  summary: z.unknown().optional(),
});
export type MessageInfo = z.infer<typeof MessageInfo>;

const Tokens = z.looseObject({
  input: z.number(),
  output: z.number(),
  reasoning: z.number().optional(),
  cache: z.looseObject({ read: z.number().optional(), write: z.number().optional() }).optional(),
});

/** How far a tool is: `pending` (no input yet), `running`, `completed` or `error`. */
export const ToolState = z.looseObject({
  status: z.string(),
  input: z.unknown().optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  metadata: z.looseObject({}).optional(),
});
export type ToolState = z.infer<typeof ToolState>;

/** A piece of a message, told in full each time it changes: of many types, with few fields each. */
export const Part = z.looseObject({
  id: z.string(),
  messageID: z.string(),
  sessionID: z.string().optional(),
  type: z.string(),
  text: z.string().optional(),
  synthetic: z.boolean().optional(),
  ignored: z.boolean().optional(),
  time: z.looseObject({ end: z.number().optional() }).optional(),
  tool: z.string().optional(),
  callID: z.string().optional(),
  state: ToolState.optional(),
  /** Why a step ended. */
  reason: z.string().optional(),
  tokens: Tokens.optional(),
  cost: z.number().optional(),
});
export type Part = z.infer<typeof Part>;

export const SessionInfo = z.looseObject({
  id: z.string(),
  directory: z.string().optional(),
  /** The session whose subagent works in this one. */
  parentID: z.string().optional(),
});

export const SessionStatus = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("idle") }),
  z.looseObject({ type: z.literal("busy") }),
  z.looseObject({
    type: z.literal("retry"),
    attempt: z.number().optional(),
    message: z.string().optional(),
  }),
]);

const ofCall = z.looseObject({ callID: z.string().optional() }).optional();

export const Permission = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  permission: z.string(),
  patterns: z.array(z.string()).optional(),
  metadata: z.looseObject({}).optional(),
  tool: ofCall,
});
export type Permission = z.infer<typeof Permission>;

/** As it was asked until version 1.0. */
const OldPermission = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  type: z.string(),
  title: z.string().optional(),
  callID: z.string().optional(),
  metadata: z.looseObject({}).optional(),
});

export const Question = z.looseObject({
  id: z.string(),
  sessionID: z.string(),
  questions: z.array(
    z.looseObject({
      question: z.string(),
      multiple: z.boolean().optional(),
      options: z
        .array(z.looseObject({ label: z.string(), description: z.string().optional() }))
        .optional(),
    }),
  ),
  tool: ofCall,
});
export type Question = z.infer<typeof Question>;

const sessionID = z.string().optional();

/** The events that tell us something; the other ones are noise or unknown. */
export const OpenCodeEvent = z.discriminatedUnion("type", [
  event("message.updated", { sessionID, info: MessageInfo }),
  /** `delta` is how it was told until version 1.0 what has been added to the text. */
  event("message.part.updated", { sessionID, part: Part, delta: z.string().optional() }),
  event("message.part.delta", {
    sessionID,
    messageID: z.string(),
    partID: z.string(),
    field: z.string(),
    delta: z.string(),
  }),
  event("session.created", { sessionID, info: SessionInfo }),
  event("session.updated", { sessionID, info: SessionInfo }),
  event("session.status", { sessionID: z.string(), status: SessionStatus }),
  event("session.idle", { sessionID: z.string() }),
  event("session.error", { sessionID, error: NativeError.optional() }),
  event("session.compacted", { sessionID: z.string() }),
  event("todo.updated", { sessionID: z.string(), todos: z.array(z.unknown()) }),
  event("permission.asked", Permission.shape),
  event("permission.updated", OldPermission.shape),
  event("question.asked", Question.shape),
]);
export type OpenCodeEvent = z.infer<typeof OpenCodeEvent>;

function event<T extends string, S extends z.ZodRawShape>(type: T, properties: S) {
  return z.looseObject({ type: z.literal(type), properties: z.looseObject(properties) });
}
