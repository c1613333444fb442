import type { Halyard } from "../contracts/halyard.ts";
import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError } from "../errors/error.ts";
import type { NewProject, Project } from "../schema/project/project.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { liveStates } from "../schema/session/session-state.ts";
import type { Projects } from "./projects.ts";

/** Creates a project. Replaces a runtime's alias with its name. Rejects with `unknown_runtime` if no runtime has the name. */
export async function createProject(
  halyard: Halyard,
  projects: Projects,
  input: NewProject,
): Promise<Project> {
  const { agent_runtime: wanted } = input;
  if (wanted === undefined || wanted === AUTO) return projects.create(input);
  return projects.create({ ...input, agent_runtime: await runtimeCalled(halyard, wanted) });
}

/**
 * The `agent_runtime` with which Halyard chooses the runtime of each session, by whether `factory.json` contains a key.
 */
const AUTO = "auto";

/** Resolves a name or alias to the name of a runtime. */
async function runtimeCalled(halyard: Halyard, wanted: string): Promise<RuntimeName> {
  const known = (await halyard.runtimes()).map(({ name }) => name);
  if (known.includes(wanted)) return wanted;
  try {
    return (await halyard.inspect(wanted)).name;
  } catch (cause) {
    if (!(cause instanceof HalyardError && cause.code === "unknown_runtime")) throw cause;
    const advice = didYouMean(wanted, known) || ` Known: ${[AUTO, ...known].join(", ")}.`;
    const message = `Unknown runtime "${wanted}".${advice}`;
    throw new HalyardError(cause.code, message, { cause });
  }
}

/** Deletes a project and its workspaces. Rejects if the project has a live session. */
export async function deleteProject(
  halyard: Halyard,
  projects: Projects,
  id: string,
): Promise<void> {
  const project = await projects.get(id);
  const live = await halyard.sessions({ project: project.id, states: liveStates });
  if (live.length > 0) {
    const ids = live.map((session) => session.id).join(" ");
    throw new HalyardError(
      "invalid_input",
      `Project ${project.id} cannot be deleted, because sessions still use it. Run "halyard stop ${ids}" first.`,
    );
  }
  await projects.delete(project.id);
}
