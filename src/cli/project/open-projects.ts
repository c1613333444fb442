import { homeDirectory } from "../../config/paths.ts";
import { didYouMean } from "../../errors/did-you-mean.ts";
import { HalyardError } from "../../errors/error.ts";
import { Projects } from "../../projects/projects.ts";
import type { Project } from "../../schema/project/project.ts";
import type { Console } from "../console/console.ts";

/** Opens the projects of the current directory. */
export function openProjects({ env }: Console): Projects {
  return new Projects({
    env,
    home: homeDirectory(env),
    root: process.cwd(),
    now: () => new Date(),
  });
}

/** Finds a project by id, start of an id, or name. Throws if no project or more than one project matches. */
export async function findProject(projects: Projects, text: string): Promise<Project> {
  const exact = await projects.find(text);
  if (exact) return exact;
  const { projects: all } = await projects.list();
  const matches = all.filter(({ id, name }) => name === text || (text && id.startsWith(text)));
  const [first, second] = matches;
  if (first === undefined) {
    const advice = didYouMean(
      text,
      all.flatMap(({ id, name }) => [id, name]),
    );
    if (advice === "") return projects.get(text);
    throw new HalyardError(
      "project_not_found",
      `Project "${text}" not found.${advice} Run "halyard project list" to list projects.`,
    );
  }
  if (second === undefined) return first;
  const shown = matches.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new HalyardError(
    "invalid_input",
    `"${text}" matches several projects. Use the id of one of these:\n${shown}`,
  );
}
