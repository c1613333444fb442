export type { AgentEvent } from "./agent-event.ts";
export type {
  AgentRuntime,
  AgentRuntimeKind,
  AgentRuntimeMeta,
  AgentRuntimeResult,
  AgentRuntimeRunParams,
  Attempt,
  CcSdkRuntimeOptions,
  CoreParams,
  MessagingParams,
  OptionBags,
  PiRuntimeOptions,
  ReasoningPayload,
  ReplyPayload,
  StreamingCallbacks,
  ToolResultPayload,
  UsageInfo,
} from "./agent-runtime.ts";
export {
  createAgentRuntime,
  createPiAgentRuntime,
  type RunOptions,
} from "./create-agent-runtime.ts";
export { Lanes } from "./lanes.ts";
export { type RunConfig, resolveAgentRuntimeKind } from "./run-config.ts";
export {
  openSessionFile,
  type SessionAdapter,
  type SessionContent,
  type SessionMessage,
  type SessionMetadata,
} from "./session-adapter.ts";
export { type LogContext, logToolEvent } from "./tool-log.ts";
