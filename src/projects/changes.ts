import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import type { NewProject, Project } from "../schema/project.ts";
import { liveStates } from "../schema/session.ts";
import type { Projects } from "./projects.ts";

/** Makes a project, if there is a runtime of the name it gives. */
export async function createProject(
  halyard: Halyard,
  projects: Projects,
  input: NewProject,
): Promise<Project> {
  const { agent_runtime: wanted } = input;
  if (wanted !== undefined && wanted !== AUTO) {
    const known = (await halyard.runtimes()).map(({ name }) => name);
    if (!known.includes(wanted)) {
      const choice = [AUTO, ...known].join(", ");
      throw new HalyardError(
        "unknown_runtime",
        `there is no runtime "${wanted}". Known: ${choice}`,
      );
    }
  }
  return projects.create(input);
}

/** Chosen for each session anew, by what the server has a key for. */
const AUTO = "auto";

/** Deletes a project and its workspaces, unless a session still works in one. */
export async function deleteProject(
  halyard: Halyard,
  projects: Projects,
  id: string,
): Promise<void> {
  const project = await projects.get(id);
  const live = await halyard.sessions({ project: project.id, states: liveStates });
  if (live.length > 0) {
    const ids = live.map((session) => session.id).join(", ");
    throw new HalyardError("invalid_input", `sessions still work in it; end them first: ${ids}`);
  }
  await projects.delete(project.id);
}
