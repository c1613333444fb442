import { z } from "zod";
import { Budget, BudgetExtension } from "./budget.ts";
import { ContainerOptions } from "./container.ts";
import { ErrorInfo } from "./error.ts";
import { RequestEvent } from "./event.ts";
import { HostName } from "./host.ts";
import { SessionId, TurnId } from "./id.ts";
import { ModelEndpoint, ReasoningLevel } from "./model.ts";
import { OutcomeStatus, Usage } from "./outcome.ts";
import { PermissionPolicy, PermissionRule } from "./permission.ts";
import { InputWay, RuntimeName } from "./runtime.ts";
import { SessionState } from "./session/session-state.ts";
import { Limits, ToolLists } from "./session/start-request.ts";
import { Day, TurnUsage } from "./usage/usage-report.ts";
import { OnLimit, UsageLimit, Waiting } from "./usage-limit.ts";
import { SessionCheckout } from "./workspace/checkout.ts";
import { SessionWorktree } from "./workspace/worktree.ts";

const TurnRef = z.strictObject({
  /** The id of the turn. */
  id: TurnId,
  /** The `seq` of the first event of the turn. */
  seq: z.number().int().positive(),
});

/** Links a session to the session whose work it continues. States how the agent can read the earlier log. */
export const Handoff = z.strictObject({
  /** The session that was handed off. */
  from: SessionId,
  /** Where the agent reads the log: a tool of an MCP server, or a file. */
  log: z.union([
    z.strictObject({
      /** The name of the MCP server. */
      server: z.string(),
      /** The name of its tool. */
      tool: z.string(),
    }),
    z.strictObject({
      /** The path of a file that contains the log up to the start of the new session. */
      file: z.string(),
    }),
  ]),
});
export type Handoff = z.infer<typeof Handoff>;

/** The session that continues the work of a turn that ended at a usage limit. */
export const HandoffTarget = z.strictObject({
  /** The runtime that continues the work. */
  runtime: RuntimeName,
  /** The id of the session that continues the work. */
  sessionId: SessionId,
});
export type HandoffTarget = z.infer<typeof HandoffTarget>;

/** The state of a session, as derived from its log. */
export const SessionInfo = z.strictObject({
  /** The id of the session. */
  id: SessionId,
  /** The name of the session's runtime. */
  runtime: RuntimeName,
  /** The host of the runtime's process. */
  host: HostName,
  /**
   * The machine that stores the session's files: a machine of the cluster, or a machine that `halyard host add` added.
   * Absent for a session on this machine outside a cluster.
   */
  machine: z.string().optional(),
  /** Set if the session's machine does not respond. The agent may still be running there. */
  unreachable: z.literal(true).optional(),
  /** The working directory of the agent. */
  cwd: z.string(),
  /** The state of the session. */
  state: SessionState,
  /** The display name of the session. */
  name: z.string().optional(),
  /** The labels of the session. */
  labels: z.record(z.string(), z.string()),
  /** The session that started this one. */
  parent: SessionId.optional(),
  /** The number of the session's ancestors: 0 if it has no parent. */
  depth: z.number().int().nonnegative().default(0),
  /** Set if the session continues another session's work. */
  handoff: Handoff.optional(),
  /** The original session, if this session is a fork. */
  forkedFrom: SessionId.optional(),
  /** The runtime's own id of the native session of which this session continues a copy. */
  continuedFrom: z.string().optional(),
  /** The git worktree that was created for the session. */
  worktree: SessionWorktree.optional(),
  /** The directory that was created for the session: a clone of a repository, or a copy of uploaded files. */
  checkout: SessionCheckout.optional(),
  /** The project of the session. */
  project: z.string().optional(),
  /** The options of the session's container, if it runs in one. */
  container: ContainerOptions.optional(),
  /** The directory with the runtime's sign-in data, if it is not the user's default. */
  accountDir: z.string().optional(),
  /** Set if the default runtime was not available and another runtime was used. */
  fallback: z
    .strictObject({
      /** The runtime that was not available. */
      from: RuntimeName,
      /** Why that runtime was not available. */
      reason: z.string(),
    })
    .optional(),
  /** Decides what the agent may do without a user's approval. */
  permissions: PermissionPolicy,
  /** Set if the program that started the session declared the files of `cwd` trusted. */
  trust: z.literal(true).optional(),
  /** True if the session reads and plans but changes nothing. */
  plan: z.boolean(),
  /** The rules that a user created for the rest of the session. Absent if there are none. */
  rules: z.array(PermissionRule).optional(),
  /** Set if no user is available to answer requests. */
  attended: z.literal(false).optional(),
  /** Set if native messages are stored with the events. */
  raw: z.literal(true).optional(),
  /**
   * The native log: the file to which the runtime's native messages are appended. A process that resumes the session
   * appends to the same file.
   */
  record: z.string().optional(),
  /** How the session reacts to a usage limit. Absent for `fail`, the default. */
  onLimit: OnLimit.optional(),
  /** The budget of the session. */
  budget: Budget.optional(),
  /** The budget extensions that a user approved in this session. */
  budgetExtensions: z.array(BudgetExtension).optional(),
  /** Why the running turn waits, and until when. Absent if no turn waits. */
  waiting: Waiting.optional(),
  /** The usage limits of the account, as last reported by the runtime. */
  limit: UsageLimit.extend({
    /** When the limits were reported. */
    reportedAt: z.iso.datetime(),
  }).optional(),
  /** The target of a handoff at a usage limit, if its session has not been started yet. */
  pendingHandoff: HandoffTarget.optional(),
  /** The limits of the session, if they are not the defaults. */
  limits: Limits.optional(),
  /** How much the model reasons before it answers. Absent if it was not set. */
  reasoning: ReasoningLevel.optional(),
  /** The text that was added to the runtime's system prompt, which a resume uses again. Contains no keys. */
  systemPrompt: z.string().optional(),
  /** The runtime's tools that the session may use, if they are restricted. */
  tools: ToolLists.optional(),
  /** The runtime options that a resume reuses, such as an ACP agent's command. Contains no keys. */
  options: z.record(z.string(), z.unknown()).optional(),
  /** The model and its endpoint, without the key. */
  model: ModelEndpoint.omit({ apiKey: true }).optional(),
  /** The runtime's own id for the session. */
  runtimeSessionId: z.string().optional(),
  /** True if the runtime can continue the session with `runtimeSessionId`. */
  resumable: z.boolean(),
  /** The process id of the runtime, if the runtime is a separate process that is running. */
  pid: z.number().int().positive().optional(),
  /** The input method, for a runtime that supports several. */
  input: InputWay.optional(),
  /** When the session was created. */
  createdAt: z.iso.datetime(),
  /** When the runtime last became ready for messages. */
  readyAt: z.iso.datetime().optional(),
  /** When the last event was written. */
  updatedAt: z.iso.datetime(),
  /** The `seq` of the last event. */
  lastSeq: z.number().int().nonnegative(),
  /** The turn that is running, or that waits for a usage limit or a budget. */
  turn: TurnRef.optional(),
  /** The turns that wait for the running turn to end. */
  queue: z.array(TurnRef),
  /** The beginning of the first message. */
  about: z.string().optional(),
  /** The number of turns that have ended. */
  turns: z.number().int().nonnegative(),
  /** How the last turn ended. Absent before the end of the first turn. */
  lastOutcome: OutcomeStatus.optional(),
  /** The usage of all ended turns together. */
  usage: Usage,
  /** The usage of the turns that ended on each day in UTC. Absent before the end of the first turn. */
  usageByDay: z.record(Day, TurnUsage).optional(),
  /** The usage of the running turn, as reported by the runtime so far. */
  turnUsage: Usage.optional(),
  /** The requests that wait for an answer. */
  openRequests: z.array(RequestEvent),
  /** The last checkpoint of the files. Absent before the first checkpoint. */
  checkpoint: z
    .strictObject({
      /** The commit that contains the files. */
      commit: z.string(),
      /** The turn that ended after this checkpoint and whose own checkpoint is not recorded yet. */
      missingTurnId: TurnId.optional(),
    })
    .optional(),
  /** Set if the start request disabled checkpoints. */
  checkpoints: z.literal(false).optional(),
  /** Why the session ended. Absent if it has not ended. */
  reason: z.string().optional(),
  /** The error that ended the session. */
  error: ErrorInfo.optional(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;
