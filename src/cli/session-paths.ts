import { resolve } from "node:path";
import type { Console } from "./console/console.ts";

/** The directories and the project that determine the configuration of a session. */
export interface SessionPaths {
  readonly cwd: string;
  readonly root?: string;
  /** The id of the project. */
  readonly project?: string;
}

/** Returns the paths of a session in a directory or in a project's workspace. */
export async function resolveSessionPaths(
  { cwd, project: name }: { readonly cwd?: string; readonly project?: string },
  console: Console,
): Promise<SessionPaths> {
  if (name === undefined) return { cwd: resolve(cwd ?? ".") };
  const { findProject, openProjects } = await import("./project/open-projects.ts");
  const projects = openProjects(console);
  const project = await findProject(projects, name);
  const workspace = cwd === undefined ? await projects.openWorkspace(project) : resolve(cwd);
  return { cwd: workspace, root: process.cwd(), project: project.id };
}
