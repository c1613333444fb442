import { projectNameOf } from "../session/project-name.ts";
import type { SessionInfo } from "../session.ts";
import { noUsage, totalTokens, usageFields } from "./usage.ts";
import type { TurnUsage, UsageFilter, UsageReport, UsageTotal } from "./usage-report.ts";

/** Adds up the usage of sessions by day, runtime, project and model. Ignores the days before `since`. */
export function addUpUsage(
  sessions: Iterable<SessionInfo>,
  { since }: UsageFilter = {},
): UsageReport {
  const total = new Groups();
  const [days, runtimes, projects, models] = [
    new Groups(),
    new Groups(),
    new Groups(),
    new Groups(),
  ];
  for (const info of sessions) {
    const used = usageOfDays(info).filter(([day]) => since === undefined || day >= since);
    for (const [day, usage] of used) {
      days.add(day, info.id, usage);
      total.add("total", info.id, usage);
      runtimes.add(info.runtime, info.id, usage);
      projects.add(projectNameOf(info), info.id, usage);
      models.add(info.model?.id ?? "default", info.id, usage);
    }
  }
  return {
    ...(since !== undefined && { since }),
    total: total.get("total"),
    days: days
      .names()
      .sort()
      .map((day) => ({ day, ...days.get(day) })),
    runtimes: runtimes.largestFirst().map((runtime) => ({ runtime, ...runtimes.get(runtime) })),
    projects: projects.largestFirst().map((project) => ({ project, ...projects.get(project) })),
    models: models.largestFirst().map((model) => ({ model, ...models.get(model) })),
  };
}

/**
 * Returns the usage of a session by day. Versions before 0.2 recorded no days: their usage is assigned to the day of
 * the last event.
 */
function usageOfDays(info: SessionInfo): [day: string, usage: TurnUsage][] {
  if (info.usageByDay !== undefined) return Object.entries(info.usageByDay);
  if (info.turns === 0) return [];
  const day = info.updatedAt.slice(0, "2026-11-17".length);
  return [[day, { ...info.usage, turns: info.turns, durationMs: 0 }]];
}

/** Usage totals by group name. Adds in place, because a report may cover the turns of 10,000 sessions. */
class Groups {
  readonly #groups = new Map<string, { readonly total: UsageTotal; session: string }>();

  /**
   * Adds the usage of a session. The days of one session must be added consecutively, so that the session is counted
   * once.
   */
  add(name: string, session: string, usage: TurnUsage): void {
    const group = this.#groups.get(name) ?? { total: noTotal(), session: "" };
    this.#groups.set(name, group);
    for (const field of fields) {
      const value = usage[field];
      if (value !== undefined) group.total[field] = (group.total[field] ?? 0) + value;
    }
    if (group.session !== session) group.total.sessions++;
    group.session = session;
  }

  get(name: string): UsageTotal {
    return this.#groups.get(name)?.total ?? noTotal();
  }

  names(): string[] {
    return [...this.#groups.keys()];
  }

  largestFirst(): string[] {
    const size = (name: string) => totalTokens(this.get(name));
    return this.names().sort((a, b) => size(b) - size(a) || (a < b ? -1 : 1));
  }
}

const fields = [...usageFields, "turns", "durationMs"] as const;

function noTotal(): UsageTotal {
  return { ...noUsage, turns: 0, durationMs: 0, sessions: 0 };
}
