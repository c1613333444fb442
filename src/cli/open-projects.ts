import { homeDirectory } from "../config/paths.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { HalyardError } from "../core/error.ts";
import { Projects } from "../projects/projects.ts";
import type { Project } from "../schema/project.ts";
import type { Terminal } from "./terminal.ts";

/** The projects of the directory that a command is run in. */
export function openProjects({ env }: Terminal): Projects {
  return new Projects({
    env,
    home: homeDirectory(env),
    root: process.cwd(),
    now: () => new Date(),
  });
}

/** The project somebody means by its id, by the beginning of it, or by its name. */
export async function findProject(projects: Projects, text: string): Promise<Project> {
  const whole = await projects.find(text);
  if (whole) return whole;
  const { projects: all } = await projects.list();
  const matches = all.filter(({ id, name }) => name === text || (text && id.startsWith(text)));
  const [first, second] = matches;
  if (first === undefined) {
    const advice = didYouMean(
      text,
      all.flatMap(({ id, name }) => [id, name]),
    );
    if (advice === "") return projects.get(text);
    throw new HalyardError("project_not_found", `There is no project "${text}".${advice}`);
  }
  if (second === undefined) return first;
  const shown = matches.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new HalyardError("invalid_input", `${text} may be any of these projects:\n${shown}`);
}
