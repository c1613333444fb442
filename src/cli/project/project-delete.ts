import { HalyardError } from "../../errors/error.ts";
import { deleteProject } from "../../projects/changes.ts";
import { confirmLoss } from "../console/confirm.ts";
import { openConsole } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { findProject, openProjects } from "./open-projects.ts";

export interface ProjectDeleteOptions {
  readonly yes?: boolean;
}

export async function projectDelete(name: string, options: ProjectDeleteOptions): Promise<number> {
  const console = openConsole();
  const projects = openProjects(console);
  const { id, name: projectName } = await findProject(projects, name);
  if (name !== id && name !== projectName)
    throw new HalyardError(
      "invalid_input",
      `Deleting a project needs its full id or name. Run "halyard project delete ${id}" to delete ${projectName}.`,
    );
  const question = `Delete the project ${projectName} (${id}) with all files in its workspaces?`;
  await confirmLoss(question, console, options);
  await using halyard = await openDaemonOrLocal(console);
  await deleteProject(halyard, projects, id);
  await console.out.write(`${id} deleted\n`);
  return 0;
}
