export { Lanes } from "../../async/lanes.ts";
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
  RunCallback,
  StreamingCallbacks,
  ToolResultPayload,
  UsageInfo,
} from "./agent-runtime.ts";
export {
  createAgentRuntime,
  createCcSdkAgentRuntime,
  createPiAgentRuntime,
} from "./create-agent-runtime.ts";
export { type AgentSettings, type RunConfig, resolveAgentRuntimeKind } from "./run-config.ts";
export type { RunOptions } from "./running-runtime.ts";
export {
  openSessionFile,
  type SessionAdapter,
  type SessionContent,
  type SessionMessage,
  type SessionMetadata,
} from "./session-files/session-file.ts";
export { type LogContext, logToolEvent, type ToolEvent } from "./tool-log.ts";
