import { z } from "zod";
import { ErrorInfo } from "./error.ts";
import { RequestId, SessionId, TurnId } from "./id.ts";
import { Outcome } from "./outcome.ts";
import { Answer, PermissionRule, RequestOption, ToolKind } from "./permission.ts";
import { RuntimeName } from "./runtime.ts";

/** What a `system` event is about. */
export const SystemSubtype = z.enum([
  /** The runtime is there; `data.runtimeSessionId` is its own id, `data.opened` how it was opened. */
  "session_started",
  /** It takes messages. */
  "session_ready",
  /** It goes on without whoever held it. */
  "session_detached",
  /** It has ended; `data.state` says how, `data.error` why. */
  "session_stopped",
  /** `data` is what was changed of it. */
  "session_changed",
  /** `text` is kept, and waits for the turn before it. */
  "turn_queued",
  /** `text` goes to the runtime now. */
  "turn_started",
  /** `text` goes into the turn under way; `data.id` is the id that it was sent under. */
  "turn_steered",
  /** The runtime starts or finishes a step of the turn; `data.state` says which, if the runtime says so. */
  "step",
  /** Something about the runtime or its session changed. */
  "status",
  /** What has been used so far. */
  "usage",
  /** The runtime's list of what it means to do. */
  "plan",
  /** The runtime shortens what it remembers. */
  "compaction",
  /** A stream is given up and begun anew: its deltas get no `message`. */
  "retry",
  /** Something is not as it should be, and the turn goes on. */
  "warning",
  /** A native message we do not know, or one outside of any turn. */
  "raw",
]);
export type SystemSubtype = z.infer<typeof SystemSubtype>;

/** What is said aloud, and what is only thought. */
export const Channel = z.enum(["text", "reasoning"]);
export type Channel = z.infer<typeof Channel>;

export const RequestKind = z.enum(["permission", "question"]);

/** Something worth knowing that nobody said: a session's life, a step, a retry, a native message we do not know. */
export const SystemEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("system"),
  /** What the event is about. */
  subtype: SystemSubtype,
  /** The event in words, or the text of a message. */
  text: z.string().optional(),
  /** Further facts, which depend on `subtype`. */
  data: z.record(z.string(), z.unknown()).optional(),
});
export type SystemEvent = z.infer<typeof SystemEvent>;

/** An increment of a message, never cumulative. */
export const DeltaEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("delta"),
  /** Text or reasoning. */
  channel: Channel,
  /** The id of the message that the text belongs to. */
  messageId: z.string(),
  /** The next part of the message. */
  text: z.string(),
});
export type DeltaEvent = z.infer<typeof DeltaEvent>;

/**
 * A whole message, exactly one per message and channel. The deltas of an assistant's message add up to it. A user's
 * message has no deltas: it follows the `turn_started` or `turn_steered` that sends it, with the message's id.
 */
export const MessageEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("message"),
  /** The author of the message. */
  role: z.enum(["assistant", "user"]),
  /** Text or reasoning. */
  channel: Channel,
  /** The id of the message. */
  messageId: z.string(),
  /** The whole message. */
  text: z.string(),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

/** The runtime uses a tool: once per call, before its result. */
export const ToolCallEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("tool_call"),
  /** The id of the call. */
  callId: z.string(),
  /** The name that the runtime has for the tool. */
  name: z.string(),
  /** What the tool does. */
  kind: ToolKind,
  /** The input of the tool. */
  input: z.unknown(),
});
export type ToolCallEvent = z.infer<typeof ToolCallEvent>;

/** What a tool gave back: once per call. */
export const ToolResultEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("tool_result"),
  /** The id of the call. */
  callId: z.string(),
  /** The output of the tool. */
  output: z.string(),
  /** True if the tool failed. */
  isError: z.boolean(),
  /** The exit code of a command. */
  exitCode: z.number().int().optional(),
  /** The change of a file as a unified diff. */
  diff: z.string().optional(),
});
export type ToolResultEvent = z.infer<typeof ToolResultEvent>;

/** The runtime waits for an answer. */
export const RequestEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("request"),
  /** The id of the request, for `session.answer`. */
  requestId: RequestId,
  /** The id that the runtime has for the request. */
  nativeId: z.string(),
  /** A request for permission, or a question. */
  kind: RequestKind,
  /** The whole text of the request. */
  text: z.string(),
  /** The id of the tool call that needs permission. */
  callId: z.string().optional(),
  /** The tool that needs permission. */
  tool: z
    .strictObject({
      /** The name that the runtime has for the tool. */
      name: z.string(),
      /** What the tool does. */
      kind: ToolKind,
      /** The input of the tool. */
      input: z.unknown(),
    })
    .optional(),
  /** The ways to answer. */
  options: z.array(RequestOption),
  /** The decision of the policy of the session. `ask` waits for an answer. */
  verdict: z.enum(["allow", "deny", "ask"]),
  /** Why the policy asks for something that it allows otherwise, such as an edit outside the working directory. */
  reason: z.string().optional(),
  /** The rule of the session that allows it. */
  rule: PermissionRule.optional(),
  /** When the request is denied if it has no answer. */
  expiresAt: z.iso.datetime().optional(),
});
export type RequestEvent = z.infer<typeof RequestEvent>;

/** A request has its answer. */
export const ResponseEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("response"),
  /** The id of the request. */
  requestId: RequestId,
  ...Answer.shape,
  /**
   * `policy` and `rule` are automatic answers: by the session's policy, or by a rule that a person made. `runtime` if the
   * runtime settled its own request: OpenCode denies all that are open with one.
   */
  by: z.enum(["policy", "rule", "user", "timeout", "runtime"]),
  /** The rule that this answer makes, or that gave it. */
  rule: PermissionRule.optional(),
});
export type ResponseEvent = z.infer<typeof ResponseEvent>;

/** A turn has ended: exactly once per turn, and always its last event. */
export const CompletionEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("completion"),
  /** How the turn ended. */
  outcome: Outcome,
});
export type CompletionEvent = z.infer<typeof CompletionEvent>;

/** Something went wrong, whether or not the turn goes on. */
export const ErrorEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("error"),
  ...ErrorInfo.shape,
});
export type ErrorEvent = z.infer<typeof ErrorEvent>;

const bodies = [
  SystemEvent,
  DeltaEvent,
  MessageEvent,
  ToolCallEvent,
  ToolResultEvent,
  RequestEvent,
  ResponseEvent,
  CompletionEvent,
  ErrorEvent,
] as const;

/** What happened, without where and when. */
export const EventBody = z.discriminatedUnion("type", bodies);
export type EventBody = z.infer<typeof EventBody>;

/** Where and when it happened: written by the core alone. */
export const EventEnvelope = z.object({
  /** The event's place in its session's log: 1, 2, 3, … */
  seq: z.number().int().positive(),
  /** When it happened. */
  at: z.iso.datetime(),
  /** The session that it belongs to. */
  sessionId: SessionId,
  /** The turn that it belongs to. */
  turnId: TurnId.optional(),
  /** The runtime of the session. */
  runtime: RuntimeName,
  /** The native message, if the session was started with `raw`. */
  raw: z.unknown().optional(),
});
export type EventEnvelope = z.infer<typeof EventEnvelope>;

/** One fact in a session's log. */
export const StreamEvent = z.discriminatedUnion("type", [
  SystemEvent.extend(EventEnvelope.shape),
  DeltaEvent.extend(EventEnvelope.shape),
  MessageEvent.extend(EventEnvelope.shape),
  ToolCallEvent.extend(EventEnvelope.shape),
  ToolResultEvent.extend(EventEnvelope.shape),
  RequestEvent.extend(EventEnvelope.shape),
  ResponseEvent.extend(EventEnvelope.shape),
  CompletionEvent.extend(EventEnvelope.shape),
  ErrorEvent.extend(EventEnvelope.shape),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;
