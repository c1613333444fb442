import type { PermissionPolicy } from "../../schema/permission.ts";
import type { AgentEvent } from "./agent-event.ts";

/** A runtime's name: `pi`, `ccsdk`, or any other. */
export type AgentRuntimeKind = "pi" | "ccsdk" | (string & {});

/** Runs turns on one runtime. */
export interface AgentRuntime {
  readonly kind: AgentRuntimeKind;
  readonly displayName: string;
  /**
   * Runs one turn. Runs in the same conversation wait for each other. Resolves with `meta.aborted` if `abortSignal` ends
   * the run. Rejects if the turn fails, a callback throws, or another caller cancels the turn.
   */
  run(params: AgentRuntimeRunParams): Promise<AgentRuntimeResult>;
}

/** The parameters of a run. */
export type AgentRuntimeRunParams = CoreParams & MessagingParams & StreamingCallbacks & OptionBags;

/** The parameters that all runtimes have in common. */
export interface CoreParams {
  /** The conversation's id: the caller's own id, or `meta.sessionId` from an earlier result. */
  readonly sessionId: string;
  /** Runs with the same key wait for each other, even in different sessions. Defaults to `sessionId`. */
  readonly sessionKey?: string | undefined;
  /** The file that stores the conversation. Pi writes the file; Halyard appends to it after a run on another runtime. */
  readonly sessionFile: string;
  /** The agent's working directory. */
  readonly workspaceDir: string;
  readonly prompt: string;
  readonly provider: string;
  readonly model: string;
  readonly thinkLevel?: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | undefined;
  /** The time limit for the turn, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The run's id in its events and its result. Defaults to a new id. */
  readonly runId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** Added to the runtime's instructions in this run. */
  readonly extraSystemPrompt?: string | undefined;
  /**
   * The permission policy. Defaults to `allow-all`, like Pi itself. If the policy requires an answer from the user, the
   * request is denied immediately.
   */
  readonly permissions?: PermissionPolicy | undefined;
}

/** The message's origin. Stored in the session's labels. */
export interface MessagingParams {
  readonly messageChannel?: string | undefined;
  readonly messageProvider?: string | undefined;
  readonly messageTo?: string | undefined;
  readonly messageThreadId?: string | undefined;
  readonly groupId?: string | undefined;
  readonly groupChannel?: string | undefined;
  readonly senderId?: string | undefined;
  readonly senderName?: string | undefined;
}

/** A callback for a run. The run awaits each callback before it calls the next one. */
export type RunCallback<T> = (payload: T) => void | Promise<void>;

/**
 * The callbacks for a run, called in the order of the session log. For each event, `onAgentEvent` is called first, then
 * the specific callback. Each callback is awaited before the next. If a callback throws, the turn and the run end.
 */
export interface StreamingCallbacks {
  /** Called with the message so far whenever it grows. `onBlockReply` receives the final message. */
  readonly onPartialReply?: RunCallback<ReplyPayload> | undefined;
  /** Called with each complete message of the assistant that contains text for the user. */
  readonly onBlockReply?: RunCallback<ReplyPayload> | undefined;
  /** Called with the reasoning so far whenever it grows. */
  readonly onReasoningStream?: RunCallback<ReasoningPayload> | undefined;
  readonly onToolResult?: RunCallback<ToolResultPayload> | undefined;
  readonly onAgentEvent?: RunCallback<AgentEvent> | undefined;
}

/** A text for the user. */
export interface ReplyPayload {
  readonly text: string;
}

/** The model's reasoning. */
export interface ReasoningPayload {
  readonly text: string;
}

/** A tool's result. */
export interface ToolResultPayload {
  readonly text: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly isError: boolean;
}

/** Options for a single runtime. Other runtimes ignore them. */
export interface OptionBags {
  readonly piOptions?: PiRuntimeOptions | undefined;
  readonly ccsdkOptions?: CcSdkRuntimeOptions | undefined;
}

/** Options for Pi. */
export interface PiRuntimeOptions {
  /** True to show only the text between `<final>` and `</final>` to the user. Defaults to false. */
  readonly enforceFinalTag?: boolean | undefined;
}

/** Options that are passed to the Claude Agent SDK, and `hooksEnabled`. */
export interface CcSdkRuntimeOptions extends Readonly<Record<string, unknown>> {
  /** False to disable all hooks of Claude Code. Defaults to true. */
  readonly hooksEnabled?: boolean | undefined;
}

/** The result of a run. */
export interface AgentRuntimeResult {
  /** The assistant's last message. */
  readonly reply: string;
  /** All messages of the assistant in this run that contain text for the user. */
  readonly payloads: readonly ReplyPayload[];
  readonly usage: UsageInfo;
  readonly meta: AgentRuntimeMeta;
}

/** A run's usage in tokens, and its cost in US dollars if the runtime reports it. */
export interface UsageInfo {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  readonly costUsd?: number;
}

/** The runtime, model and session that produced a result. */
export interface AgentRuntimeMeta {
  readonly runtime: AgentRuntimeKind;
  readonly provider: string;
  readonly model: string;
  readonly runId: string;
  /**
   * The session's Halyard id. A later run with this `sessionId` continues the conversation, like a run with the
   * original id.
   */
  readonly sessionId?: string;
  /** The runtime's session id. */
  readonly runtimeSessionId?: string;
  /**
   * How the session was opened. `fresh`: the previous conversation could not be continued, for the given `reason`.
   * `none`: the run was aborted before it started.
   */
  readonly session: {
    readonly opened: "started" | "resumed" | "fresh" | "none";
    readonly reason?: string;
  };
  readonly durationMs: number;
  /** True if `abortSignal` ended the run. */
  readonly aborted: boolean;
  /**
   * The runtimes that were tried. The last one ran, unless the run was aborted before it started. If there is more than
   * one entry, Pi replaced the chosen runtime.
   */
  readonly attempts: readonly Attempt[];
  /** Problems that did not affect the turn, such as a transcript that could not be written. */
  readonly warnings?: readonly string[];
}

/** A runtime that was tried, and its error if it could not run. */
export interface Attempt {
  readonly runtime: AgentRuntimeKind;
  readonly error?: string;
}
