import type { StartRequest } from "../schema/start-request.ts";

/**
 * Options of `Halyard.resume`. Policy, reasoning, plan and the name of a model change the session on record; the others,
 * which may contain keys, apply to this resume only.
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
  | "trust"
>;
