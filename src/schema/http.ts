import { z } from "zod";
import { AttachmentInputs } from "./attachment.ts";
import { TEXT_BYTES } from "./constants.ts";
import { Delivery, Receipt } from "./delivery.ts";
import { ErrorCode, Phase } from "./error.ts";
import { StreamEvent } from "./event.ts";
import { RequestId, SessionId, TurnId } from "./id.ts";
import { ModelEndpoint, ReasoningLevel } from "./model.ts";
import { Outcome } from "./outcome.ts";
import { Answer, PermissionPolicy } from "./permission.ts";
import { ProcessInfo } from "./process.ts";
import { RuntimeInfo } from "./runtimes/runtime-info.ts";
import { SessionInfo } from "./session.ts";
import { Limits, Milliseconds, StartRequest } from "./start-request.ts";
import { AdoptRequest, PrunedWorktree, WorktreeInfo } from "./workspace/worktree.ts";

/**
 * A path on the machine that runs the sessions. It must be absolute because the client may run in another directory.
 */
const AbsolutePath = z
  .string()
  .regex(/^\/[^\0]*$/, "an absolute path, such as /home/me/project")
  .refine((path) => !path.split("/").includes(".."), "a path without ..");

/** The request body that starts a session. `prompt` is sent as its first message. */
export const StartBody = StartRequest.extend({
  cwd: AbsolutePath,
  record: AbsolutePath.optional(),
  accountDir: AbsolutePath.optional(),
  /** The first message. */
  prompt: z.string().min(1).max(TEXT_BYTES).optional(),
  /** The images of the first message. */
  images: AttachmentInputs.shape.images,
  /** The text files of the first message. */
  files: AttachmentInputs.shape.files,
});
export type StartBody = z.input<typeof StartBody>;

/** The request body that resumes a session, with the settings that change. */
export const ResumeBody = z.strictObject({
  trust: StartRequest.shape.trust,
  model: z.union([z.string().min(1), ModelEndpoint]).exactOptional(),
  reasoning: ReasoningLevel.exactOptional(),
  plan: z.boolean().exactOptional(),
  env: z.record(z.string(), z.string()).exactOptional(),
  credentials: z.record(z.string(), z.string()).exactOptional(),
  permissions: PermissionPolicy.exactOptional(),
  attended: z.boolean().exactOptional(),
  raw: z.boolean().exactOptional(),
  record: AbsolutePath.exactOptional(),
  limits: Limits.exactOptional(),
  options: z.record(z.string(), z.unknown()).exactOptional(),
});
export type ResumeBody = z.infer<typeof ResumeBody>;

/** The request body that sends a message. */
export const SendBody = z.strictObject({
  /** The text of the message. */
  input: z.string().min(1).max(TEXT_BYTES),
  ...AttachmentInputs.shape,
  /** The id of the turn. A second request with the same id returns the same turn. */
  id: TurnId.exactOptional(),
  delivery: Delivery.exactOptional(),
  /** The time limit of this turn, in milliseconds. */
  timeoutMs: Milliseconds.exactOptional(),
});

/** The request body that cancels a turn. Defaults to the running turn. */
export const InterruptBody = z.strictObject({
  turnId: TurnId.exactOptional(),
  reason: z.string().exactOptional(),
});

/** The request body that answers a request. */
export const AnswerBody = Answer.extend({ requestId: RequestId });

/** The request body that stops a session. */
export const StopBody = z.strictObject({ reason: z.string().exactOptional() });

/** The request body that adopts the changes of a session. */
export const AdoptBody = AdoptRequest.extend({ cwd: AbsolutePath });

/** A running session, and how it was opened. */
export const OpenedSession = SessionInfo.extend({
  opened: z.enum(["started", "resumed", "attached"]),
  /** The `seq` of the last event before it was opened. */
  openedAfter: z.number().int().nonnegative(),
});
export type OpenedSession = z.infer<typeof OpenedSession>;

/** The response to a message. */
export const SentTurn = z.strictObject({
  id: TurnId,
  sessionId: SessionId,
  receipt: Receipt,
  /** How the turn ended, if it had ended before this response. */
  outcome: Outcome.optional(),
});
export type SentTurn = z.infer<typeof SentTurn>;

/** The response of a healthy server. `version` and `pid` are set only for callers with the token. */
export const HealthReport = z.strictObject({
  status: z.literal("ok"),
  version: z.string().optional(),
  pid: z.number().int().optional(),
});
export type HealthReport = z.infer<typeof HealthReport>;

export const RuntimeList = z.strictObject({ runtimes: z.array(RuntimeInfo) });
export const SessionList = z.strictObject({ sessions: z.array(SessionInfo) });
export const WorktreeList = z.strictObject({ worktrees: z.array(WorktreeInfo) });
export const PrunedList = z.strictObject({ worktrees: z.array(PrunedWorktree) });
export const ProcessList = z.strictObject({ processes: z.array(ProcessInfo) });

/**
 * A page of events of one session. `last` is the `seq` to continue from. `first` is the `seq` to continue backward from; only
 * a page with `before` or `tail` has it.
 */
export const EventPage = z.strictObject({
  events: z.array(StreamEvent),
  first: z.number().int().positive().optional(),
  last: z.number().int().nonnegative(),
});

/** An event with its position among the events of all sessions. */
export const PositionedEvent = z.strictObject({
  position: z.number().int().positive(),
  event: StreamEvent,
});

/** A page of events of all sessions. `last` is the position to continue from. */
export const PositionedPage = z.strictObject({
  events: z.array(PositionedEvent),
  last: z.number().int().nonnegative(),
});

/** The position of the last event of all sessions. */
export const LastPosition = z.strictObject({ position: z.number().int().nonnegative() });

/** A session with its complete log. */
export const SessionExport = z.strictObject({ session: SessionInfo, events: z.array(StreamEvent) });

/** An error response as defined by RFC 9457, with the error code of Halyard. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: ErrorCode,
  retryable: z.boolean(),
  phase: Phase.optional(),
});
export type Problem = z.infer<typeof Problem>;
