import { HalyardError } from "../../core/error.ts";
import { deleteProject } from "../../projects/changes.ts";
import { confirmLoss } from "../console/confirm.ts";
import { openNearby } from "../open-nearby.ts";
import { findProject, openProjects } from "../open-projects.ts";
import { openTerminal } from "../terminal.ts";

export interface ProjectDeleteOptions {
  readonly yes?: boolean;
}

export async function projectDelete(name: string, options: ProjectDeleteOptions): Promise<number> {
  const terminal = openTerminal();
  const projects = openProjects(terminal);
  const { id, name: called } = await findProject(projects, name);
  if (name !== id && name !== called)
    throw new HalyardError(
      "invalid_input",
      `Deleting needs the whole id or name. Run "halyard project delete ${id}" to delete ${called}.`,
    );
  const question = `Delete the project ${called} (${id}) with all files in its workspaces?`;
  await confirmLoss(question, terminal, options);
  await using halyard = await openNearby(terminal);
  await deleteProject(halyard, projects, id);
  await terminal.out.write(`${id} deleted\n`);
  return 0;
}
