import { deleteProject } from "../../projects/changes.ts";
import { openNearby } from "../open-nearby.ts";
import { findProject, openProjects } from "../open-projects.ts";
import { openTerminal } from "../terminal.ts";

export async function projectDelete(name: string): Promise<number> {
  const terminal = openTerminal();
  const projects = openProjects(terminal);
  const { id } = await findProject(projects, name);
  await using halyard = await openNearby(terminal);
  await deleteProject(halyard, projects, id);
  await terminal.out.write(`${id} deleted\n`);
  return 0;
}
