import { z } from "zod";
import { SessionId } from "../../schema/id.ts";
import { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";
import { HostName } from "../../schema/runtime.ts";

/** How much is done without asking; nobody is asked, so the rest is denied. `off` is no restriction at all. */
export const Autonomy = z.enum(["off", "low", "medium", "high"]);
export type Autonomy = z.infer<typeof Autonomy>;

/** What holds for every request to a runtime that does not say otherwise. */
export const RuntimeContext = z.strictObject({
  /** Where its processes live. */
  host: HostName.optional(),
  projectID: z.string().min(1).optional(),
  workingDir: z.string().min(1).optional(),
  /** A model's name, or the model with the endpoint that serves it. */
  model: z.union([z.string().min(1), ModelEndpoint]).optional(),
  autonomy: Autonomy.optional(),
  reasoning: ReasoningLevel.optional(),
  /** Added to the environment of the runtime and its tools. */
  env: z.record(z.string(), z.string()).optional(),
});
export type RuntimeContext = z.infer<typeof RuntimeContext>;

const names = z.array(z.string().min(1)).optional();

/** One prompt and how it is to be run. */
export const ExecuteRequest = RuntimeContext.extend({
  prompt: z.string().min(1),
  /** Continues this session: our id, or the runtime's own. */
  sessionID: z.string().min(1).optional(),
  /** The container of the project; refused where the session would be in another. */
  containerID: z.string().min(1).optional(),
  /** The session that started this one. */
  parentID: SessionId.optional(),
  /** How many sessions are above it: one more than above its parent. */
  depth: z.number().int().nonnegative().optional(),
  enabledTools: names,
  disabledTools: names,
  /** Look and plan, but change nothing. */
  useSpec: z.boolean().optional(),
  /** Added to the runtime's own instructions. */
  systemPrompt: z.string().optional(),
});
export type ExecuteRequest = z.infer<typeof ExecuteRequest>;

/** A collected turn. */
export interface ExecuteResponse {
  /** Our id for the session, by which a later request continues it. */
  readonly sessionID: string;
  readonly runtimeSessionID: string | undefined;
  /** The last thing the assistant said. */
  readonly result: string;
  readonly tokens: { readonly input: number; readonly output: number };
  /** In milliseconds. */
  readonly duration: number;
  /** How many turns the session has had. */
  readonly turns: number;
}

/** How a request is run. */
export interface ExecuteOptions {
  /** Cancels the turn. */
  readonly signal?: AbortSignal;
}
