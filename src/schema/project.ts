import { z } from "zod";
import { RuntimeName } from "./runtime.ts";

/** Names one project, and the directory that holds it. */
export const ProjectId = z.uuid();
export type ProjectId = z.infer<typeof ProjectId>;

/** How far a project's sessions may go: refused is what would go further. */
export const ProjectLimits = z.strictObject({
  /** How many sessions may stand above one another below the first: 0 allows no children. */
  max_recursion_depth: z.number().int().nonnegative(),
  /** How many sessions may come of one first session, by its children and theirs. */
  max_agents_per_session: z.number().int().nonnegative(),
  /** What all sessions of the project may cost together, in US dollars, as far as their runtimes tell. */
  max_cost_usd: z.number().nonnegative(),
});
export type ProjectLimits = z.infer<typeof ProjectLimits>;

/** Those of the limits that somebody sets. */
export const SomeLimits = z.strictObject({
  max_recursion_depth: ProjectLimits.shape.max_recursion_depth.exactOptional(),
  max_agents_per_session: ProjectLimits.shape.max_agents_per_session.exactOptional(),
  max_cost_usd: ProjectLimits.shape.max_cost_usd.exactOptional(),
});
export type SomeLimits = z.infer<typeof SomeLimits>;

/** What holds for projects that do not say otherwise: `config/project-defaults.json`. */
export const ProjectDefaults = z.looseObject({
  max_recursion_depth: ProjectLimits.shape.max_recursion_depth.default(3),
  max_agents_per_session: ProjectLimits.shape.max_agents_per_session.default(50),
  max_cost_usd: ProjectLimits.shape.max_cost_usd.default(10),
});
export type ProjectDefaults = z.infer<typeof ProjectDefaults>;

/** A project as kept in its `metadata.json`; what others keep there beside it stays. */
export const Project = z.looseObject({
  id: ProjectId,
  name: z.string().min(1),
  description: z.string().exactOptional(),
  created_at: z.iso.datetime({ offset: true }),
  default_workspace_id: z.uuid(),
  /** Goes before the server's choice. */
  agent_runtime: RuntimeName.exactOptional(),
  /** A name out of `models.json`, or a model's own. */
  model: z.string().min(1).exactOptional(),
  /** What differs from the defaults. */
  recursion_config: SomeLimits.exactOptional(),
});
export type Project = z.infer<typeof Project>;

/** What a project is made with. */
export const NewProject = z.strictObject({
  name: z.string().trim().min(1).max(200),
  description: z.string().exactOptional(),
  agent_runtime: RuntimeName.exactOptional(),
  model: z.string().min(1).exactOptional(),
  ...SomeLimits.shape,
});
export type NewProject = z.infer<typeof NewProject>;
