import { costOf } from "../../projects/session-tree.ts";
import { openNearby } from "../open-nearby.ts";
import { findProject, openProjects } from "../open-projects.ts";
import { cleanText } from "../output/clean.ts";
import { table } from "../output/table.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";
import type { ListFormatOptions } from "./project-list.ts";

export async function projectShow(name: string, { format }: ListFormatOptions): Promise<number> {
  const terminal = openTerminal();
  const { out } = terminal;
  const projects = openProjects(terminal);
  const project = await findProject(projects, name);
  const workspaces = await projects.workspaces(project);
  const limits = await projects.limits(project);
  await using halyard = await openNearby(terminal);
  const sessions = await halyard.sessions({ project: project.id });
  const cost_usd = costOf(sessions);
  if (format === "json") {
    const shown = { ...project, workspaces, limits, sessions: sessions.length, cost_usd };
    await out.write(`${JSON.stringify(shown)}\n`);
  } else {
    const { max_recursion_depth: depth, max_agents_per_session: agents, max_cost_usd } = limits;
    const rows = [
      ["project", project.id],
      ["name", cleanText(project.name)],
      ...(project.description ? [["about", cleanText(project.description)]] : []),
      ["runtime", project.agent_runtime ?? "the server's"],
      ["limits", `${depth} deep, ${agents} sessions of one, $${max_cost_usd} in all`],
      ["sessions", `${sessions.length}, for $${cost_usd.toFixed(2)}`],
      ...workspaces.map((id) => ["workspace", tilde(projects.workspaceDirectory(project.id, id))]),
    ];
    for (const line of table(rows)) await out.write(`${line}\n`);
  }
  throwIfUnwritable(terminal);
  return 0;
}
