export { type AgentConfig, loadAgentConfig } from "./agent-config.ts";
export { completeRuntime } from "./complete-runtime.ts";
export {
  Autonomy,
  type ExecuteOptions,
  ExecuteRequest,
  type ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
export { newRuntime } from "./new-runtime.ts";
export type { FourMethods, Runtime, StreamingExecutor } from "./runtime.ts";
export type { StreamEvent } from "./stream-event.ts";
