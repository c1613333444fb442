import { z } from "zod";
import { Delivery, Receipt } from "./delivery.ts";
import { ErrorCode, Phase } from "./error.ts";
import { StreamEvent } from "./event.ts";
import { RequestId, SessionId, TurnId } from "./id.ts";
import { ModelEndpoint, ReasoningLevel } from "./model.ts";
import { Outcome } from "./outcome.ts";
import { Answer, PermissionPolicy } from "./permission.ts";
import { ProcessInfo } from "./process.ts";
import { RuntimeInfo } from "./runtime-info.ts";
import { SessionInfo } from "./session.ts";
import { Limits, Milliseconds, StartRequest } from "./start-request.ts";

/** A place on the machine that runs the sessions, said in full, so that it means the same to both sides. */
const AbsolutePath = z
  .string()
  .regex(/^\/[^\0]*$/, "an absolute path, such as /home/me/project")
  .refine((path) => !path.split("/").includes(".."), "a path without ..");

/** The body that starts a session: with a prompt, its first message is sent along. */
export const StartBody = StartRequest.extend({
  cwd: AbsolutePath,
  record: AbsolutePath.optional(),
  accountDir: AbsolutePath.optional(),
  prompt: z.string().min(1).optional(),
});
export type StartBody = z.input<typeof StartBody>;

/** The body that resumes a session: what it is given anew. */
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

/** The body that sends a message. */
export const SendBody = z.strictObject({
  input: z.string().min(1),
  /** The turn's id: the same id again is the same turn, begun once. */
  id: TurnId.exactOptional(),
  delivery: Delivery.exactOptional(),
  /** For this turn as a whole, in milliseconds. */
  timeoutMs: Milliseconds.exactOptional(),
});

/** The body that ends a turn: the one under way, unless one is named. */
export const InterruptBody = z.strictObject({
  turnId: TurnId.exactOptional(),
  reason: z.string().exactOptional(),
});

/** The body that answers a request. */
export const AnswerBody = Answer.extend({ requestId: RequestId });

/** The body that stops a session. */
export const StopBody = z.strictObject({ reason: z.string().exactOptional() });

/** A session that runs, and how it came to. */
export const OpenedSession = SessionInfo.extend({
  opened: z.enum(["started", "resumed", "attached"]),
  /** The `seq` of the last event before it was opened. */
  openedAfter: z.number().int().nonnegative(),
});
export type OpenedSession = z.infer<typeof OpenedSession>;

/** A message that was taken. */
export const SentTurn = z.strictObject({
  id: TurnId,
  sessionId: SessionId,
  receipt: Receipt,
  /** How the turn ended, where it had when this was answered. */
  outcome: Outcome.optional(),
});
export type SentTurn = z.infer<typeof SentTurn>;

/** The answer of a Halyard server that works. `version` and `pid` are only for callers with the token. */
export const Health = z.strictObject({
  status: z.literal("ok"),
  version: z.string().optional(),
  pid: z.number().int().optional(),
});
export type Health = z.infer<typeof Health>;

export const RuntimeList = z.strictObject({ runtimes: z.array(RuntimeInfo) });
export const SessionList = z.strictObject({ sessions: z.array(SessionInfo) });
export const ProcessList = z.strictObject({ processes: z.array(ProcessInfo) });

/** Events of one session, and the `seq` to read on from. */
export const EventPage = z.strictObject({
  events: z.array(StreamEvent),
  last: z.number().int().nonnegative(),
});

/** An event with its place among the events of all sessions. */
export const PositionedEvent = z.strictObject({
  position: z.number().int().positive(),
  event: StreamEvent,
});

/** Events of all sessions, and the position to read on from. */
export const PositionedPage = z.strictObject({
  events: z.array(PositionedEvent),
  last: z.number().int().nonnegative(),
});

/** A session with its whole log. */
export const SessionExport = z.strictObject({ session: SessionInfo, events: z.array(StreamEvent) });

/** An error over HTTP, as RFC 9457 has it, with our code. */
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
