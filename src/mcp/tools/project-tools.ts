import { z } from "zod";
import { createProject, deleteProject } from "../../projects/changes.ts";
import { NewProject, type Project, ProjectId } from "../../schema/project.ts";
import { ProjectOptions } from "../../schema/project-options.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const OneProject = z.strictObject({ project_id: ProjectId });

/** The tools about projects. */
export function projectTools({ halyard, projects }: McpContext): Tool[] {
  const describe = async (project: Project) => ({
    ...project,
    workspaces: await projects.workspaces(project),
    limits: await projects.limits(project),
  });
  return [
    defineTool("project_options", {
      description: "What a project can be made with: runtimes, limits, models.",
      input: z.strictObject({}),
      output: ProjectOptions,
      effect: "reads",
      run: async () => projects.options(await (await halyard()).runtimes()),
    }),
    defineTool("project_create", {
      description:
        "Make a project with a workspace of its own. agent_runtime is one of project_options' runtimes.",
      input: NewProject,
      effect: "changes",
      run: async (input) => describe(await createProject(await halyard(), projects, input)),
    }),
    defineTool("project_list", {
      description: "List the projects, newest first.",
      input: z.strictObject({}),
      effect: "reads",
      run: async () => ({ ...(await projects.list()) }),
    }),
    defineTool("project_get", {
      description: "One project, with its workspaces and its limits.",
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
      description: "How deep, how many and how costly the sessions of a project may become.",
      input: z.strictObject({ project_id: ProjectId.exactOptional() }),
      effect: "reads",
      run: async ({ project_id }) => {
        const project = project_id === undefined ? undefined : await projects.get(project_id);
        return { limits: await projects.limits(project) };
      },
    }),
  ];
}
