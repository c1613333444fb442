import { z } from "zod";
import { RuntimeName } from "../runtime.ts";

/** The id of a project and the name of its directory. */
export const ProjectId = z.uuid();
export type ProjectId = z.infer<typeof ProjectId>;

/** The limits of a project. Operations that would exceed them are rejected. */
export const ProjectLimits = z.strictObject({
  /** The maximum depth of child sessions: 0 allows no children. */
  max_recursion_depth: z.number().int().nonnegative(),
  /** The maximum number of descendants of a session without a parent. */
  max_agents_per_session: z.number().int().nonnegative(),
  /** The maximum total cost of the project's sessions in US dollars. Includes only costs that runtimes report. */
  max_cost_usd: z.number().nonnegative(),
});
export type ProjectLimits = z.infer<typeof ProjectLimits>;

/** A subset of the limits. */
export const SomeLimits = z.strictObject({
  max_recursion_depth: ProjectLimits.shape.max_recursion_depth.exactOptional(),
  max_agents_per_session: ProjectLimits.shape.max_agents_per_session.exactOptional(),
  max_cost_usd: ProjectLimits.shape.max_cost_usd.exactOptional(),
});
export type SomeLimits = z.infer<typeof SomeLimits>;

/** The limits of projects that set none: `config/project-defaults.json`. */
export const ProjectDefaults = z.looseObject({
  max_recursion_depth: ProjectLimits.shape.max_recursion_depth.default(3),
  max_agents_per_session: ProjectLimits.shape.max_agents_per_session.default(50),
  max_cost_usd: ProjectLimits.shape.max_cost_usd.default(10),
});
export type ProjectDefaults = z.infer<typeof ProjectDefaults>;

/** A project as stored in its `metadata.json`. Unknown fields are preserved. */
export const Project = z.looseObject({
  id: ProjectId,
  name: z.string().min(1),
  description: z.string().exactOptional(),
  created_at: z.iso.datetime({ offset: true }),
  default_workspace_id: z.uuid(),
  /** The runtime of the project. Takes precedence over the server's default. */
  agent_runtime: RuntimeName.exactOptional(),
  /** A name from `models.json`, or the name of a model. */
  model: z.string().min(1).exactOptional(),
  /** True if each session of the project works in its own git worktree. */
  worktree: z.boolean().exactOptional(),
  /** The limits that differ from the defaults. */
  recursion_config: SomeLimits.exactOptional(),
});
export type Project = z.infer<typeof Project>;

/** The fields of a new project. */
export const NewProject = z.strictObject({
  name: z.string().trim().min(1).max(200),
  description: z.string().exactOptional(),
  agent_runtime: RuntimeName.exactOptional(),
  model: z.string().min(1).exactOptional(),
  worktree: z.boolean().exactOptional(),
  ...SomeLimits.shape,
});
export type NewProject = z.infer<typeof NewProject>;
