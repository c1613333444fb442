import type { StartRequest } from "../schema/session/start-request.ts";

/**
 * Options of `Halyard.resume`. Policy, reasoning, plan, model name and native log also change the recorded session. All
 * other options may contain keys, so they apply to this resume only. If the session is already open in this process,
 * only the policy, reasoning, plan and model name apply.
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
