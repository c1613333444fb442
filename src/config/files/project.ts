import { z } from "zod";
import { HostName } from "../../schema/host.ts";
import { RuntimeName } from "../../schema/runtime.ts";

/** The keys of `metadata.json` that configure the sessions of a project. Other keys are ignored. */
export const ProjectFile = z.looseObject({
  /** The runtime of the project. Takes precedence over `server.json`. */
  agent_runtime: RuntimeName.optional(),
  /** The host of the project's sessions. */
  host: HostName.optional(),
  /** The name of a model in `models.json`, or a model id. */
  model: z.string().min(1).optional(),
  /** True if each new session works in its own git worktree. */
  worktree: z.boolean().optional(),
});
export type ProjectFile = z.infer<typeof ProjectFile>;
