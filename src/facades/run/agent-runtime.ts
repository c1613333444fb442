import type { PermissionPolicy } from "../../schema/permission.ts";
import type { AgentEvent } from "./agent-event.ts";

/** A runtime's name: `pi`, `ccsdk`, or any other there is. */
export type AgentRuntimeKind = "pi" | "ccsdk" | (string & {});

/** Runs turns of one runtime. */
export interface AgentRuntime {
  readonly kind: AgentRuntimeKind;
  /** Its name for people. */
  readonly displayName: string;
  /** Runs one turn. Runs of one conversation wait for each other. Rejects where the turn fails or others end it. */
  run(params: AgentRuntimeRunParams): Promise<AgentRuntimeResult>;
}

/** All that a run can be given. */
export type AgentRuntimeRunParams = CoreParams & MessagingParams & StreamingCallbacks & OptionBags;

/** What every runtime needs, and what it can be given. */
export interface CoreParams {
  /** Runs with the same id are one conversation. */
  readonly sessionId: string;
  /** Runs with the same key wait for each other too, whatever their session is. */
  readonly sessionKey?: string | undefined;
  /** What the conversation is continued from and kept in. */
  readonly sessionFile: string;
  /** Where the agent works. */
  readonly workspaceDir: string;
  readonly prompt: string;
  readonly provider: string;
  readonly model: string;
  readonly thinkLevel?: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | undefined;
  /** For the turn as a whole. */
  readonly timeoutMs?: number | undefined;
  /** The caller's name for this run, in its events and its result; one is made unless given. */
  readonly runId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** Added to the runtime's own instructions, in a session's first run. */
  readonly extraSystemPrompt?: string | undefined;
  /** What tools may do. Defaults to `allow-all`, as Pi by itself. With `ask`, every request is denied at once. */
  readonly permissions?: PermissionPolicy | undefined;
}

/** Where the message came from; kept with the session. */
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

type Callback<T> = (payload: T) => void | Promise<void>;

/**
 * What is told while the turn runs, in the order of the session's log: of each event `onAgentEvent` hears first, then
 * the one that it is for. Each is awaited before the next is called; one that throws ends the turn and the run.
 */
export interface StreamingCallbacks {
  /** The message so far, each time it has grown. A preview: what is said is said by `onBlockReply`. */
  readonly onPartialReply?: Callback<ReplyPayload> | undefined;
  /** A whole message. */
  readonly onBlockReply?: Callback<ReplyPayload> | undefined;
  /** What is thought, so far. */
  readonly onReasoningStream?: Callback<ReasoningPayload> | undefined;
  readonly onToolResult?: Callback<ToolResultPayload> | undefined;
  readonly onAgentEvent?: Callback<AgentEvent> | undefined;
}

/** Something for the user to read. */
export interface ReplyPayload {
  readonly text: string;
}

/** What is thought and not said. */
export interface ReasoningPayload {
  readonly text: string;
}

/** What a tool gave back. */
export interface ToolResultPayload {
  readonly text: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly isError: boolean;
}

/** What only one runtime understands; the others' are left alone. */
export interface OptionBags {
  readonly piOptions?: PiRuntimeOptions | undefined;
  readonly ccsdkOptions?: CcSdkRuntimeOptions | undefined;
}

/** What only Pi understands. */
export interface PiRuntimeOptions {
  /** Only what stands between `<final>` and `</final>` is for the user. */
  readonly enforceFinalTag?: boolean | undefined;
}

/** What only the Claude Agent SDK understands: its own options, and these. */
export interface CcSdkRuntimeOptions extends Readonly<Record<string, unknown>> {
  /** Whether hooks run; unless said otherwise they do. */
  readonly hooksEnabled?: boolean | undefined;
}

/** How a run went. */
export interface AgentRuntimeResult {
  /** The last thing the assistant said. */
  readonly reply: string;
  /** All that the assistant said, message by message. */
  readonly payloads: readonly ReplyPayload[];
  readonly usage: UsageInfo;
  readonly meta: AgentRuntimeMeta;
}

/** What a run used. */
export interface UsageInfo {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  readonly costUsd?: number;
}

/** Where a result comes from. */
export interface AgentRuntimeMeta {
  readonly runtime: AgentRuntimeKind;
  readonly provider: string;
  readonly model: string;
  readonly runId: string;
  /** Halyard's id for the session. */
  readonly sessionId?: string;
  /** The runtime's own. */
  readonly runtimeSessionId?: string;
  /**
   * How the conversation came to this run; `fresh` where what there was could not be continued, as `reason` says; `none`
   * where the run was aborted before its turn had come.
   */
  readonly session: {
    readonly opened: "started" | "resumed" | "fresh" | "none";
    readonly reason?: string;
  };
  readonly durationMs: number;
  /** Whether `abortSignal` ended it. */
  readonly aborted: boolean;
  /** Every runtime that was tried, the last one ran. More than one entry means that Pi replaced the chosen runtime. */
  readonly attempts: readonly Attempt[];
  /** What went wrong beside the turn: that its transcript could not be written. */
  readonly warnings?: readonly string[];
}

/** A runtime that was to run it, and why it did not. */
export interface Attempt {
  readonly runtime: AgentRuntimeKind;
  readonly error?: string;
}
