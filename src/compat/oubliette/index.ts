export type { HalyardSourceOptions } from "../halyard-source.ts";
export {
  type AgentConfig,
  type AgentConfigOptions,
  loadAgentConfig,
  type ProjectSettings,
} from "./agent-config.ts";
export { completeRuntime } from "./complete-runtime.ts";
export {
  EventTypeCompletion,
  EventTypeDelta,
  EventTypeError,
  EventTypeMessage,
  EventTypeSystem,
  EventTypeToolCall,
  EventTypeToolResult,
} from "./event-types.ts";
export {
  Autonomy,
  type ExecuteOptions,
  ExecuteRequest,
  type ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
export { newRuntime } from "./new-runtime.ts";
export type { FourMethods, Runtime, StreamingExecutor, WaitResult } from "./runtime.ts";
export type { StreamEvent, StreamEventBody, StreamEventEnvelope } from "./stream-event.ts";
