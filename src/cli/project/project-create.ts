import { createProject } from "../../projects/changes.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openHalyard } from "../open-halyard.ts";
import { openProjects } from "./open-projects.ts";

export interface ProjectCreateOptions {
  readonly format: "text" | "json";
  readonly description?: string;
  readonly runtime?: string;
  readonly model?: string;
  readonly worktree?: boolean;
  readonly maxDepth?: number;
  readonly maxAgents?: number;
  readonly maxCost?: number;
}

export async function projectCreate(name: string, options: ProjectCreateOptions): Promise<number> {
  const console = openConsole();
  const { description, runtime, model, worktree, maxDepth, maxAgents, maxCost } = options;
  await using halyard = await openHalyard(console, { store: "memory" });
  const project = await createProject(halyard, openProjects(console), {
    name,
    ...(description !== undefined && { description }),
    ...(runtime !== undefined && { agent_runtime: runtime }),
    ...(model !== undefined && { model }),
    ...(worktree && { worktree }),
    ...(maxDepth !== undefined && { max_recursion_depth: maxDepth }),
    ...(maxAgents !== undefined && { max_agents_per_session: maxAgents }),
    ...(maxCost !== undefined && { max_cost_usd: maxCost }),
  });
  await console.out.write(
    options.format === "json" ? `${JSON.stringify(project)}\n` : `${project.id}\n`,
  );
  throwIfUnwritable(console);
  return 0;
}
