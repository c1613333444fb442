import { z } from "zod";
import { HalyardError } from "../../errors/error.ts";
import { createProject, deleteProject } from "../../projects/changes.ts";
import {
  NewProject,
  type Project,
  ProjectId,
  type ProjectLimits,
  SomeLimits,
} from "../../schema/project/project.ts";
import { ProjectOptions } from "../../schema/project/project-options.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const OneProject = z.strictObject({ project_id: ProjectId });

/** Creates the tools that create, list, show and delete projects, and show their options and limits. */
export function projectTools({ halyard, projects, permissions }: McpContext): Tool[] {
  const describe = async (project: Project) => ({
    ...project,
    workspaces: await projects.workspaces(project),
    limits: await projects.limits(project),
  });
  return [
    defineTool("project_options", {
      description: "List the options for a new project: runtimes, limits, models.",
      input: z.strictObject({}),
      output: ProjectOptions,
      effect: "reads",
      run: async () => projects.options(await (await halyard()).runtimes()),
    }),
    defineTool("project_create", {
      description:
        "Create a project with its own workspace. agent_runtime is one of the runtimes in project_options. Unless the policy is allow-all, limits cannot exceed those in config_limits.",
      input: NewProject,
      effect: "changes",
      run: async (input) => {
        if (permissions !== "allow-all") requireLimits(input, await projects.limits());
        return describe(await createProject(await halyard(), projects, input));
      },
    }),
    defineTool("project_list", {
      description: "List projects, newest first.",
      input: z.strictObject({}),
      effect: "reads",
      run: async () => ({ ...(await projects.list()) }),
    }),
    defineTool("project_get", {
      description: "Get a project with its workspaces and limits.",
      input: OneProject,
      effect: "reads",
      run: async ({ project_id }) => describe(await projects.get(project_id)),
    }),
    defineTool("project_delete", {
      description:
        "Delete a project with all files in its workspaces. Its sessions must have ended.",
      input: OneProject,
      effect: "destroys",
      run: async ({ project_id }) => {
        await deleteProject(await halyard(), projects, project_id);
        return { deleted: project_id };
      },
    }),
    defineTool("config_limits", {
      description:
        "Get the limits for the depth, number and cost of a project's sessions. Without project_id, returns the defaults.",
      input: z.strictObject({ project_id: ProjectId.exactOptional() }),
      effect: "reads",
      run: async ({ project_id }) => {
        const project = project_id === undefined ? undefined : await projects.get(project_id);
        return { limits: await projects.limits(project) };
      },
    }),
  ];
}

/** Rejects limits above the user's defaults. Called for a client without `allow-all`. */
function requireLimits(input: NewProject, most: ProjectLimits): void {
  for (const key of SomeLimits.keyof().options) {
    const wanted = input[key];
    if (wanted === undefined || wanted <= most[key]) continue;
    throw new HalyardError(
      "forbidden",
      `${key}: ${wanted} exceeds ${most[key]}, the maximum for this client. Choose at most ${most[key]}. To allow more, raise ${key} in config/project-defaults.json, or start "halyard mcp" with --permissions allow-all or "halyard serve" with --mcp-permissions allow-all.`,
    );
  }
}
