import type { SessionInfo } from "../../schema/session.ts";
import { tokensOf } from "../text/format.ts";

/** Tokens and cost of a group of sessions. */
export interface Total {
  readonly name: string;
  readonly tokens: number;
  readonly costUsd: number;
  readonly sessions: number;
}

/** Usage by day, runtime and directory. */
export interface UsageTotals {
  readonly days: readonly Total[];
  readonly runtimes: readonly Total[];
  readonly projects: readonly Total[];
  readonly all: Total;
}

/** Days that the chart shows. */
export const DAYS = 30;

/** Adds up the usage of sessions. A session counts for the day of its last event. */
export function totalUsage(infos: readonly SessionInfo[], now: number): UsageTotals {
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  const names = [...Array(DAYS).keys()].map((back) => dayOf(now - (DAYS - 1 - back) * 86_400_000));
  const days = new Map(names.map((name) => [name, empty(name)]));
  const runtimes = new Map<string, Total>();
  const projects = new Map<string, Total>();
  let all = empty("all");
  for (const info of infos) {
    const day = info.updatedAt.slice(0, 10);
    const known = days.get(day);
    if (known) days.set(day, add(known, info));
    const project = info.project ?? info.cwd.split("/").at(-1) ?? info.cwd;
    runtimes.set(info.runtime, add(runtimes.get(info.runtime) ?? empty(info.runtime), info));
    projects.set(project, add(projects.get(project) ?? empty(project), info));
    all = add(all, info);
  }
  const most = (totals: Map<string, Total>) =>
    [...totals.values()].sort((a, b) => b.tokens - a.tokens).slice(0, 12);
  return { days: [...days.values()], runtimes: most(runtimes), projects: most(projects), all };
}

function empty(name: string): Total {
  return { name, tokens: 0, costUsd: 0, sessions: 0 };
}

function add(total: Total, { usage }: SessionInfo): Total {
  return {
    name: total.name,
    tokens: total.tokens + tokensOf(usage),
    costUsd: total.costUsd + (usage.costUsd ?? 0),
    sessions: total.sessions + 1,
  };
}
