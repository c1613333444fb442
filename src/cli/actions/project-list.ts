import type { Project } from "../../schema/project.ts";
import { openProjects } from "../open-projects.ts";
import { cleanLine } from "../output/clean.ts";
import { shorten } from "../output/display-width.ts";
import { table } from "../output/table.ts";
import { age } from "../output/words.ts";
import { openTerminal, type Terminal, throwIfUnwritable, warn } from "../terminal.ts";

export interface ListFormatOptions {
  readonly format: "text" | "json";
}

export async function projectList({ format }: ListFormatOptions): Promise<number> {
  const terminal = openTerminal();
  const { projects, problems } = await openProjects(terminal).list();
  await warn(terminal, problems);
  if (format === "json")
    for (const project of projects) await terminal.out.write(`${JSON.stringify(project)}\n`);
  else await writeTable(projects, terminal);
  throwIfUnwritable(terminal);
  return 0;
}

async function writeTable(projects: readonly Project[], { out, err }: Terminal): Promise<void> {
  if (projects.length === 0)
    return err.write("No projects here. Make one: halyard project create NAME\n");
  const [heading = "", ...lines] = table([HEADINGS, ...projects.map(row)]);
  await out.write(`${out.colors.bold(heading)}\n`);
  for (const line of lines) await out.write(`${line}\n`);
}

const HEADINGS = ["PROJECT", "NAME", "RUNTIME", "AGE", "ABOUT"];

function row({ id, name, agent_runtime, created_at, description = "" }: Project): string[] {
  const since = age(Date.now() - Date.parse(created_at));
  return [
    id,
    cleanLine(name),
    agent_runtime ?? "default",
    since,
    shorten(cleanLine(description), 60),
  ];
}
