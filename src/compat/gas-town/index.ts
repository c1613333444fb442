export {
  type AgentRuntime,
  type Context,
  type DeliveryReceipt,
  Message,
  ResumeOptions,
  SessionFilter,
  SessionHandle,
  StartOptions,
} from "./agent-runtime.ts";
export { type AriOptions, createAgentRuntime } from "./create-agent-runtime.ts";
export type { RetryPolicy } from "./deliver.ts";
