import type { Config } from "../config/config.ts";
import { HalyardError } from "../errors/error.ts";
import { ProjectDefaults, type ProjectLimits, SomeLimits } from "../schema/project/project.ts";

/**
 * Returns the limits of a project. Order of precedence: project, `project-defaults.json`, built-in limits. Throws
 * `invalid_config` if the project's limits are not valid.
 */
export function limitsIn({ projectDefaults, project }: Config): ProjectLimits {
  const defaults = projectDefaults?.value ?? ProjectDefaults.parse({});
  const own = SomeLimits.safeParse(project?.value?.recursion_config ?? {});
  if (!own.success) {
    const [issue] = own.error.issues;
    const key = ["recursion_config", ...(issue?.path ?? [])].join(".");
    throw new HalyardError("invalid_config", `${project?.path}: ${key}: ${issue?.message}`);
  }
  const { max_recursion_depth, max_agents_per_session, max_cost_usd } = defaults;
  return { max_recursion_depth, max_agents_per_session, max_cost_usd, ...own.data };
}
