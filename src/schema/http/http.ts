import { z } from "zod";
import { AttachmentInputs, MessageInput } from "../attachment.ts";
import { ForkOptions } from "../conversation/fork-options.ts";
import { SlashCommand } from "../conversation/slash-command.ts";
import { Delivery, Receipt } from "../delivery.ts";
import { ErrorCode, Phase } from "../error.ts";
import { StreamEvent } from "../event.ts";
import { RequestId, SessionId, TurnId } from "../id.ts";
import { LimitedText } from "../limited-text.ts";
import { ModelEndpoint, ReasoningLevel } from "../model.ts";
import { Outcome } from "../outcome.ts";
import { Answer, PermissionPolicy } from "../permission.ts";
import { ModelInfo } from "../runtimes/model-info.ts";
import { NativeSession, NativeSessionQuery } from "../runtimes/native-session.ts";
import { RuntimeInfo } from "../runtimes/runtime-info.ts";
import { ProcessInfo } from "../session/process.ts";
import { Limits, Milliseconds, StartRequest } from "../session/start-request.ts";
import { SessionInfo } from "../session.ts";
import { TraceParent } from "../trace-parent.ts";
import { AccountLimits } from "../usage-limit.ts";
import { MAX_RACERS, RaceRequest, RacerRequest } from "../workspace/race.ts";
import { AdoptRequest, PrunedWorktree, WorktreeInfo } from "../workspace/worktree.ts";

const NO_PARENT = "expected a path without ..";
const ABSOLUTE = "expected an absolute path, such as /home/me/project";

/** A path on the machine that runs the sessions. Must be absolute, because the client may run in another directory. */
export const AbsolutePath = z
  .string()
  .regex(/^\/[^\0]*$/, ABSOLUTE)
  .refine((path) => !path.split("/").includes(".."), NO_PARENT);

/** The paths of a request that starts a session. */
const startPaths = {
  /** An absolute path. With `repository` or `upload`, a path relative to the cloned or uploaded files, such as `"."`. */
  cwd: z
    .string()
    .min(1)
    .regex(/^[^\0]*$/, ABSOLUTE)
    .refine((path) => !path.split("/").includes(".."), NO_PARENT),
  record: AbsolutePath.optional(),
  accountDir: AbsolutePath.optional(),
};

/** The request body that starts a session. `prompt` is sent as its first message. */
export const StartBody = StartRequest.extend({
  ...startPaths,
  /** The first message. */
  prompt: LimitedText.optional(),
  /** The images of the first message. */
  images: AttachmentInputs.shape.images,
  /** The text files of the first message. */
  files: AttachmentInputs.shape.files,
  /** The JSON Schema of the answer to the first message. */
  schema: MessageInput.shape.schema,
});
export type StartBody = z.input<typeof StartBody>;

/** The request body that starts a race. */
export const RaceBody = RaceRequest.extend({
  racers: z.array(RacerRequest.extend(startPaths)).min(1).max(MAX_RACERS),
});

/** The request body that resumes a session, with the settings that change. */
export const ResumeBody = z.strictObject({
  trust: StartRequest.shape.trust,
  on: z.string().min(1).exactOptional(),
  model: z.union([z.string().min(1), ModelEndpoint]).exactOptional(),
  reasoning: ReasoningLevel.exactOptional(),
  plan: z.boolean().exactOptional(),
  systemPrompt: z.string().exactOptional(),
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

/** The usage limits of the accounts. */
export const AccountList = z.strictObject({ accounts: z.array(AccountLimits) });

/** The request body that sends a message. */
export const SendBody = z.strictObject({
  /** The text of the message. */
  input: LimitedText,
  ...AttachmentInputs.shape,
  schema: MessageInput.shape.schema,
  /** The id of the turn. A second request with the same id returns the same turn. */
  id: TurnId.exactOptional(),
  delivery: Delivery.exactOptional(),
  /** The time limit of this turn, in milliseconds. */
  timeoutMs: Milliseconds.exactOptional(),
  /** The trace context of the caller, to which the span of the turn links. Defaults to the header `traceparent`. */
  traceparent: TraceParent.exactOptional(),
});

/** The request body that compacts a conversation. */
export const CompactBody = SendBody.pick({ id: true, timeoutMs: true });

/** The request body that forks a session. */
export const ForkBody = ForkOptions.extend({ cwd: AbsolutePath.exactOptional() });

/** The request body that cancels a turn. `turnId` defaults to the running turn. */
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
  /** The `seq` of the last event before the session was opened. */
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

/** The health response of a server. `version` and `pid` are included only if the caller has the token. */
export const HealthReport = z.strictObject({
  status: z.literal("ok"),
  version: z.string().optional(),
  pid: z.number().int().optional(),
});
export type HealthReport = z.infer<typeof HealthReport>;

/** The runtimes, including those that are not available. */
export const RuntimeList = z.strictObject({ runtimes: z.array(RuntimeInfo) });

/** The models that a runtime offers. */
export const ModelList = z.strictObject({ models: z.array(ModelInfo) });

/** The arguments of `Halyard.nativeSessions`, with absolute paths. */
export const NativeSessionBody = NativeSessionQuery.extend({
  cwd: AbsolutePath.optional(),
  accountDir: AbsolutePath.optional(),
});

/** The sessions that a runtime recorded without Halyard. */
export const NativeSessionList = z.strictObject({ sessions: z.array(NativeSession) });

/** The slash commands of a session. */
export const CommandList = z.strictObject({ commands: z.array(SlashCommand) });

/** The sessions that match a filter. */
export const SessionList = z.strictObject({ sessions: z.array(SessionInfo) });

/** The git worktrees of sessions. */
export const WorktreeList = z.strictObject({ worktrees: z.array(WorktreeInfo) });

/** The result of a prune for each worktree. */
export const PrunedList = z.strictObject({ worktrees: z.array(PrunedWorktree) });

/** The processes that were started for sessions. */
export const ProcessList = z.strictObject({ processes: z.array(ProcessInfo) });

/**
 * A page of a session's events. Pass `last` as `after` to read the next page. `first` is set only on a page that was
 * read with `before` or `tail`; pass it as `before` to read the previous page.
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

/** A page of events of all sessions. Pass `last` as `after` to read the next page. */
export const PositionedPage = z.strictObject({
  events: z.array(PositionedEvent),
  last: z.number().int().nonnegative(),
});

/** The position of the last event of all sessions. */
export const LastPosition = z.strictObject({ position: z.number().int().nonnegative() });

/** A session with all events in its log. */
export const SessionExport = z.strictObject({ session: SessionInfo, events: z.array(StreamEvent) });

/** An error response as defined by RFC 9457, with Halyard's error code. */
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
