import { z } from "zod";
import { ContainerOptions } from "../../schema/container.ts";
import { HostName } from "../../schema/host.ts";
import { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/**
 * The tools that run without permission. `off` and `high` allow everything, `medium` allows edits, and `low` allows
 * reading. Everything else is denied without a request. Defaults to `off`.
 */
export const Autonomy = z.enum(["off", "low", "medium", "high"]);
export type Autonomy = z.infer<typeof Autonomy>;

const name = z.string().min(1);

/** Defaults for all of a runtime's requests. */
export const RuntimeContext = z.strictObject({
  /** The host for the processes. Defaults to `container` if a container is set, otherwise to the configured host. */
  host: HostName.optional(),
  /** The container to create: image, network, memory, … */
  container: ContainerOptions.optional(),
  /** A running container. The runtime is started in it, and Halyard does not stop the container. */
  containerID: name.optional(),
  /** The project's id. The project's runtime, model and limits apply, and its sessions share an OpenCode server. */
  projectID: name.optional(),
  /** The same as `projectID`, or the project's metadata with its `id`. */
  project: z.union([name, z.looseObject({ id: name })]).optional(),
  /** The sessions' working directory. Defaults to the working directory of this process. */
  workingDir: name.optional(),
  /** A model's name in `models.json`, a model id, or a model with its endpoint. */
  model: z.union([name, ModelEndpoint]).optional(),
  autonomy: Autonomy.optional(),
  reasoning: ReasoningLevel.optional(),
  /** Added to the environment of the runtime and its tools. */
  env: z.record(z.string(), z.string()).optional(),
});
export type RuntimeContext = z.infer<typeof RuntimeContext>;

const names = z.array(name).optional();

/** One prompt and how to run it. */
export const ExecuteRequest = RuntimeContext.extend({
  prompt: name,
  /** The session to continue: Halyard's id or the runtime's own. */
  sessionID: name.optional(),
  /** The runtime's own id for the session to continue. */
  runtimeSessionID: name.optional(),
  /** The session that starts this one: Halyard's id or the runtime's own. */
  parentID: name.optional(),
  /** The number of ancestor sessions: one more than the parent has. Omit it, or set 0, to derive it from `parentID`. */
  depth: z.number().int().nonnegative().optional(),
  enabledTools: names,
  disabledTools: names,
  /** Plan only: selects OpenCode's agent `plan`, or Droid's `--use-spec`. */
  useSpec: z.boolean().optional(),
  /**
   * Added to the runtime's own instructions, and stored with the session. A request that continues the session can replace
   * it, unless the session is running.
   */
  systemPrompt: z.string().optional(),
});
export type ExecuteRequest = z.infer<typeof ExecuteRequest>;

/** The result of a turn. */
export interface ExecuteResponse {
  /** Halyard's id for the session. A later request can use it to continue the session. */
  readonly sessionID: string;
  readonly runtimeSessionID: string | undefined;
  /** The assistant's last text. */
  readonly result: string;
  readonly tokens: { readonly input: number; readonly output: number };
  /** The turn's duration in milliseconds. */
  readonly duration: number;
  /** The number of turns in the session. */
  readonly turns: number;
}

/** The context of a call. */
export interface ExecuteOptions {
  /**
   * Cancels the call or, after `executeStreaming` has returned, its turn. A cancelled call rejects with `cancelled`, or
   * with `timed_out` at a deadline, and stops everything that it started.
   */
  readonly signal?: AbortSignal | undefined;
}
