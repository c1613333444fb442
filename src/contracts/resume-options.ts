import type { StartRequest } from "../schema/session/start-request.ts";

/**
 * Options of `Halyard.resume`. Policy, reasoning, plan, model name, system prompt and native log also change the
 * recorded session. The other options may contain keys and apply to this resume only. If the session is open in this
 * process, the other options and the system prompt have no effect. Only a cluster accepts `on`.
 */
export type ResumeOptions = Pick<
  StartRequest,
  | "model"
  | "env"
  | "credentials"
  | "permissions"
  | "attended"
  | "raw"
  | "record"
  | "limits"
  | "options"
  | "reasoning"
  | "plan"
  | "systemPrompt"
  | "trust"
  | "on"
>;
