import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import type { NewProject, Project } from "../schema/project.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { liveStates } from "../schema/session-state.ts";
import type { Projects } from "./projects.ts";

/** Makes a project, if there is a runtime of the name it gives, which is kept as that runtime's own. */
export async function createProject(
  halyard: Halyard,
  projects: Projects,
  input: NewProject,
): Promise<Project> {
  const { agent_runtime: wanted } = input;
  if (wanted === undefined || wanted === AUTO) return projects.create(input);
  return projects.create({ ...input, agent_runtime: await runtimeCalled(halyard, wanted) });
}

/** Chosen for each session anew, by what the server has a key for. */
const AUTO = "auto";

/** The runtime that goes by this name, be it another than its own. */
async function runtimeCalled(halyard: Halyard, wanted: string): Promise<RuntimeName> {
  const known = (await halyard.runtimes()).map(({ name }) => name);
  if (known.includes(wanted)) return wanted;
  try {
    return (await halyard.examine(wanted)).name;
  } catch (cause) {
    if (!(cause instanceof HalyardError && cause.code === "unknown_runtime")) throw cause;
    const choice = [AUTO, ...known].join(", ");
    const message = `there is no runtime "${wanted}". Known: ${choice}`;
    throw new HalyardError(cause.code, message, { cause });
  }
}

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
