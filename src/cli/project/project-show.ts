import { costOf } from "../../projects/session-tree.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { cleanText } from "../text/clean.ts";
import { abbreviateHome } from "../text/format.ts";
import { table } from "../text/table.ts";
import { findProject, openProjects } from "./open-projects.ts";
import type { ListFormatOptions } from "./project-list.ts";

export async function projectShow(name: string, { format }: ListFormatOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  const projects = openProjects(console);
  const project = await findProject(projects, name);
  const workspaces = await projects.workspaces(project);
  const limits = await projects.limits(project);
  await using halyard = await openDaemonOrLocal(console);
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
      ["runtime", project.agent_runtime ?? "default"],
      ["limits", `depth ${depth}, ${agents} sub-sessions per session, $${max_cost_usd} in total`],
      ["sessions", `${sessions.length}, cost $${cost_usd.toFixed(2)}`],
      ...workspaces.map((id) => [
        "workspace",
        abbreviateHome(projects.workspaceDirectory(project.id, id)),
      ]),
    ];
    for (const line of table(rows)) await out.write(`${line}\n`);
  }
  throwIfUnwritable(console);
  return 0;
}
