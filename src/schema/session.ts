import { z } from "zod";
import { ContainerOptions } from "./container.ts";
import { ErrorInfo } from "./error.ts";
import { RequestEvent } from "./event.ts";
import { SessionId, TurnId } from "./id.ts";
import { ModelEndpoint, ReasoningLevel } from "./model.ts";
import { Usage } from "./outcome.ts";
import { PermissionPolicy, PermissionRule } from "./permission.ts";
import { HostName, InputWay, RuntimeName } from "./runtime.ts";
import { SessionState } from "./session-state.ts";
import { Limits, ToolLists } from "./start-request.ts";

const TurnRef = z.strictObject({ id: TurnId, seq: z.number().int().positive() });

/** A session as known from its log. */
export const SessionInfo = z.strictObject({
  id: SessionId,
  runtime: RuntimeName,
  host: HostName,
  cwd: z.string(),
  state: SessionState,
  name: z.string().optional(),
  labels: z.record(z.string(), z.string()),
  parent: SessionId.optional(),
  /** How many sessions are above it. */
  depth: z.number().int().nonnegative().default(0),
  project: z.string().optional(),
  container: ContainerOptions.optional(),
  accountDir: z.string().optional(),
  /** The runtime that was meant by default, and why it could not be. */
  fallback: z.strictObject({ from: RuntimeName, reason: z.string() }).optional(),
  permissions: PermissionPolicy,
  /** Set if the program that started the session vouched for the files of `cwd`. */
  trust: z.literal(true).optional(),
  plan: z.boolean(),
  /** What a person has allowed for the rest of the session; left out if there is nothing. */
  rules: z.array(PermissionRule).optional(),
  /** Left out where somebody is there to answer. */
  attended: z.literal(false).optional(),
  /** Left out where native messages are not kept. */
  raw: z.literal(true).optional(),
  /** The file with the runtime's own messages. If another process takes the session up, it is continued. */
  record: z.string().optional(),
  /** Left out where they are the usual ones. */
  limits: Limits.optional(),
  reasoning: ReasoningLevel.optional(),
  tools: ToolLists.optional(),
  /** Without its key. */
  model: ModelEndpoint.omit({ apiKey: true }).optional(),
  /** The runtime's own id for the session. */
  runtimeSessionId: z.string().optional(),
  /** Whether the runtime can continue it by that id. */
  resumable: z.boolean(),
  /** The runtime's process, where it has one of its own and runs. */
  pid: z.number().int().positive().optional(),
  /** The way that messages take into the runtime, for a runtime with several. */
  input: InputWay.optional(),
  createdAt: z.iso.datetime(),
  /** When its runtime last began to take messages. */
  readyAt: z.iso.datetime().optional(),
  updatedAt: z.iso.datetime(),
  /** The `seq` of its last event. */
  lastSeq: z.number().int().nonnegative(),
  /** The turn under way, and the `seq` of its first event. */
  turn: TurnRef.optional(),
  /** Turns that wait for it to end. */
  queue: z.array(TurnRef),
  /** The beginning of what it was first asked. */
  about: z.string().optional(),
  /** How many turns have ended. */
  turns: z.number().int().nonnegative(),
  usage: Usage,
  /** Requests that wait for an answer, in full. */
  openRequests: z.array(RequestEvent),
  /** Why it ended, once it has. */
  reason: z.string().optional(),
  error: ErrorInfo.optional(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;
