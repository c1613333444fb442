import { resolve } from "node:path";
import type { Terminal } from "./terminal.ts";

/** Where a session works, and what its configuration depends on. */
export interface SessionPlace {
  readonly cwd: string;
  readonly root?: string;
  /** The project's id. */
  readonly project?: string;
}

/** In a directory, or in a workspace of the project that is named. */
export async function sessionPlace(
  { cwd, project: name }: { readonly cwd?: string; readonly project?: string },
  terminal: Terminal,
): Promise<SessionPlace> {
  if (name === undefined) return { cwd: resolve(cwd ?? ".") };
  const { findProject, openProjects } = await import("./open-projects.ts");
  const projects = openProjects(terminal);
  const project = await findProject(projects, name);
  const workspace = cwd === undefined ? await projects.openWorkspace(project) : resolve(cwd);
  return { cwd: workspace, root: process.cwd(), project: project.id };
}
