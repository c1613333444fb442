import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import type { BudgetSettings } from "../../schema/budget.ts";
import { projectNameOf } from "../../schema/session/project-name.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { addUsage, noUsage } from "../../schema/usage/usage.ts";
import type { BudgetAccount } from "./budget.ts";

type Shared = Pick<BudgetSettings, "project" | "day">;

/**
 * Returns the budgets that apply to a session, with their current usage: the turns that have ended, and the running
 * turns of other sessions. The running turn of the session itself is not included.
 */
export async function budgetAccounts(
  { store, clock }: Pick<HalyardParts, "store" | "clock">,
  info: SessionInfo,
  { project, day }: Shared,
): Promise<BudgetAccount[]> {
  const own = info.budget ? [{ ...sum("session", [info], info), budget: info.budget }] : [];
  if (!project && !day) return own;
  const others = (await store.list({})).map((record) => record.info);
  const all = [info, ...others.filter(({ id }) => id !== info.id)];
  const today = clock.now().toISOString().slice(0, "2026-11-17".length);
  const inProject = all.filter((one) => projectNameOf(one) === projectNameOf(info));
  return [
    ...own,
    ...(project ? [{ ...sum("project", inProject, info), budget: project }] : []),
    ...(day ? [{ ...sum("day", all, info, today), budget: day, day: today }] : []),
  ];
}

/**
 * Adds up the usage of the sessions in a scope. If a day is given, includes only turns that ended on that day and turns
 * that are running.
 */
function sum(
  scope: BudgetAccount["scope"],
  sessions: readonly SessionInfo[],
  { id }: SessionInfo,
  day?: string,
): Omit<BudgetAccount, "budget"> {
  let usage = noUsage;
  let durationMs = 0;
  for (const info of sessions) {
    const days = Object.entries(info.usageByDay ?? {}).filter(([one]) => (day ?? one) === one);
    for (const [, { turns: _, durationMs: tookMs, ...used }] of days) {
      usage = addUsage(usage, used);
      durationMs += tookMs;
    }
    if (info.id !== id && info.turnUsage) usage = addUsage(usage, info.turnUsage);
  }
  const extensions = sessions.flatMap(({ budgetExtensions = [] }) => budgetExtensions);
  return { scope, usage, durationMs, extensions };
}
