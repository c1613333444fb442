import { z } from "zod";
import { Attachment } from "./attachment.ts";
import { ExceededBudget } from "./budget.ts";
import { ErrorInfo } from "./error.ts";
import { RequestId, SessionId, TurnId } from "./id.ts";
import { Outcome } from "./outcome.ts";
import { Answer, PermissionRule, RequestOption, ToolKind } from "./permission.ts";
import { RuntimeName } from "./runtime.ts";

/** The subject of a `system` event. */
export const SystemSubtype = z.enum([
  /**
   * The runtime has started. `data.runtimeSessionId` is the runtime's own id for the session. `data.opened` states how
   * the session was opened.
   */
  "session_started",
  /** The runtime accepts messages. */
  "session_ready",
  /** The session has no owner. Its runtime keeps running, or its turn waits for a usage limit or a budget. */
  "session_detached",
  /** The session has ended. `text` is the reason, `data.state` the final state, and `data.error` the error, if any. */
  "session_stopped",
  /** Settings of the session changed. `data` has the new values. */
  "session_changed",
  /**
   * The message `text` waits in the queue. `data.attachments` contains its attachments, as in `turn_started` and
   * `turn_steered`.
   */
  "turn_queued",
  /** The message `text` is sent to the runtime. */
  "turn_started",
  /** The message `text` is added to the running turn. `data.id` is the id of the message. */
  "turn_steered",
  /** The turn pauses because of a usage limit or a budget. `data` is a `Waiting`. */
  "turn_waiting",
  /** The turn continues after a pause: `text` is sent to the runtime. */
  "turn_continued",
  /**
   * The runtime starts or finishes a step of the turn. `data.state` is the phase, such as `started`, if the runtime reports
   * it.
   */
  "step",
  /** The status of the runtime or its session changed. */
  "status",
  /** The usage so far. `data.usage` is the usage of the turn. */
  "usage",
  /** The runtime reports the usage limits of its account, or a limit ended a native turn. `data` is a `UsageLimit`. */
  "limit",
  /** The files of the workspace were recorded. `data` is a `CheckpointRecord`. */
  "checkpoint",
  /** The files of the workspace were restored. `data` is a `Rewound`. */
  "rewound",
  /** The runtime's list of planned steps. */
  "plan",
  /** The runtime compacts the conversation. */
  "compaction",
  /**
   * A message stream was aborted and restarts: no `message` follows the deltas of the aborted stream. Also emitted when
   * Halyard requests another answer, because the answer does not match the schema of its message.
   */
  "retry",
  /** A problem that does not end the turn. */
  "warning",
  /** A native message that is unknown or belongs to no turn. */
  "raw",
]);
export type SystemSubtype = z.infer<typeof SystemSubtype>;

/** The channel of a message: the visible text, or the model's reasoning. */
export const Channel = z.enum(["text", "reasoning"]);
export type Channel = z.infer<typeof Channel>;

/** The kind of a request. */
export const RequestKind = z.enum(["permission", "question", "budget"]);

/**
 * An event that is not part of the conversation: a change of the session, a step, a retry, or an unknown native
 * message.
 */
export const SystemEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("system"),
  /** The subject of the event. */
  subtype: SystemSubtype,
  /** A description of the event, or the text of a message. */
  text: z.string().optional(),
  /** Further data, which depends on `subtype`. */
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
 * A complete message, exactly one per message and channel. The deltas of an assistant message add up to its text. A
 * user message has no deltas: it follows its `turn_started` or `turn_steered` event and has the same id.
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
  /** The complete text. */
  text: z.string(),
  /** The attachments of a user message. */
  attachments: z.array(Attachment).optional(),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

/** A tool call by the runtime. Emitted once per call, before its result. */
export const ToolCallEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("tool_call"),
  /** The id of the call. */
  callId: z.string(),
  /** The runtime's name for the tool. */
  name: z.string(),
  /** The kind of the tool. */
  kind: ToolKind,
  /** The input of the tool. */
  input: z.unknown(),
});
export type ToolCallEvent = z.infer<typeof ToolCallEvent>;

/** The result of a tool call. Emitted once per call. */
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
  /** The file changes as a unified diff. */
  diff: z.string().optional(),
});
export type ToolResultEvent = z.infer<typeof ToolResultEvent>;

/** A request that the turn waits for. An answer, the expiry of the request or the end of the turn ends the wait. */
export const RequestEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("request"),
  /** The id of the request, for `session.answer`. */
  requestId: RequestId,
  /** The runtime's id for the request, or `halyard:budget` if the kind is `budget`. */
  nativeId: z.string(),
  /** A request for permission, a question, or a request from Halyard to extend a budget. */
  kind: RequestKind,
  /** The complete text of the request. */
  text: z.string(),
  /** The id of the tool call that needs permission. */
  callId: z.string().optional(),
  /** The tool that needs permission. */
  tool: z
    .strictObject({
      /** The runtime's name for the tool. */
      name: z.string(),
      /** The kind of the tool. */
      kind: ToolKind,
      /** The input of the tool. */
      input: z.unknown(),
    })
    .optional(),
  /** The possible answers. */
  options: z.array(RequestOption),
  /** The decision of the session's policy or of a rule. `ask` waits for a user's answer. */
  verdict: z.enum(["allow", "deny", "ask"]),
  /** Why the policy asks although it would normally allow the request, such as an edit outside `cwd`. */
  reason: z.string().optional(),
  /** The rule that allows the request. */
  rule: PermissionRule.optional(),
  /** The budget that is used up, if the kind is `budget`. */
  budget: ExceededBudget.optional(),
  /** When the request expires. An unanswered request is then denied. */
  expiresAt: z.iso.datetime().optional(),
});
export type RequestEvent = z.infer<typeof RequestEvent>;

/** The answer to a request. */
export const ResponseEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("response"),
  /** The id of the request. */
  requestId: RequestId,
  ...Answer.shape,
  /**
   * The origin of the answer. `policy` and `rule` are automatic: the session's policy, or a rule that a user created.
   * `runtime` means that the runtime settled the request itself, for example because it denied all open requests at
   * once.
   */
  by: z.enum(["policy", "rule", "user", "timeout", "runtime"]),
  /** The rule that this answer creates, or the rule that produced the answer. */
  rule: PermissionRule.optional(),
});
export type ResponseEvent = z.infer<typeof ResponseEvent>;

/** The end of a turn. Each turn has exactly one, as its last event. */
export const CompletionEvent = z.strictObject({
  /** The type of the event. */
  type: z.literal("completion"),
  /** How the turn ended. */
  outcome: Outcome,
});
export type CompletionEvent = z.infer<typeof CompletionEvent>;

/** An error, which may or may not end the turn. */
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

/** An event without its envelope. */
export const EventBody = z.discriminatedUnion("type", bodies);
export type EventBody = z.infer<typeof EventBody>;

/** The position, time and origin of an event. The log assigns these values. */
export const EventEnvelope = z.object({
  /** The event's position in the log of its session: 1, 2, 3, … */
  seq: z.number().int().positive(),
  /** When the event was appended to the log. */
  at: z.iso.datetime(),
  /** The session of the event. */
  sessionId: SessionId,
  /** The turn of the event, if it belongs to one. */
  turnId: TurnId.optional(),
  /** The runtime of the session. */
  runtime: RuntimeName,
  /** The native message, on the first event that it produces, if the session was started with `raw`. */
  raw: z.unknown().optional(),
});
export type EventEnvelope = z.infer<typeof EventEnvelope>;

/** An event in a session's log. */
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
