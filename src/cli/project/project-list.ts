import type { Project } from "../../schema/project/project.ts";
import { type Console, openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { cleanLine } from "../text/clean.ts";
import { shorten } from "../text/display-width.ts";
import { formatAge } from "../text/format.ts";
import { table } from "../text/table.ts";
import { openProjects } from "./open-projects.ts";

export interface ListFormatOptions {
  readonly format: "text" | "json";
}

export async function projectList({ format }: ListFormatOptions): Promise<number> {
  const console = openConsole();
  const { projects, problems } = await openProjects(console).list();
  await warn(console, problems);
  if (format === "json")
    for (const project of projects) await console.out.write(`${JSON.stringify(project)}\n`);
  else await writeTable(projects, console);
  throwIfUnwritable(console);
  return 0;
}

async function writeTable(projects: readonly Project[], { out, err }: Console): Promise<void> {
  if (projects.length === 0)
    return err.write(
      'No projects in this directory. Run "halyard project create NAME" to create one.\n',
    );
  const [heading = "", ...lines] = table([HEADINGS, ...projects.map(row)]);
  await out.write(`${out.colors.bold(heading)}\n`);
  for (const line of lines) await out.write(`${line}\n`);
}

const HEADINGS = ["PROJECT", "NAME", "RUNTIME", "AGE", "ABOUT"];

function row({ id, name, agent_runtime, created_at, description = "" }: Project): string[] {
  const since = formatAge(Date.now() - Date.parse(created_at));
  return [
    id,
    cleanLine(name),
    agent_runtime ?? "default",
    since,
    shorten(cleanLine(description), 60),
  ];
}
