import type { SessionInfo } from "../session.ts";
import type { AccountLimits, LimitWindow } from "../usage-limit.ts";

/**
 * Returns the usage limits of each account from the records of the sessions. The newest report of a window is used. If
 * a window has reset since the report, its usage is omitted. If the limit of an account has reset, its status is `ok`.
 */
export function accountLimits(sessions: readonly SessionInfo[], now: Date): AccountLimits[] {
  const accounts = new Map<string, AccountLimits>();
  for (const info of sessions.toSorted(byReport)) {
    const { limit, runtime, accountDir, model, id: sessionId } = info;
    if (limit === undefined) continue;
    const endpoint = hostOf(model?.baseUrl);
    const key = JSON.stringify([runtime, accountDir, endpoint]);
    const { windows = [], window, resetsAt, status, reportedAt } = limit;
    const own = windows.length > 0 ? windows : [unnamed(window, resetsAt)];
    accounts.set(key, {
      runtime,
      ...(accountDir !== undefined && { accountDir }),
      ...(endpoint !== undefined && { endpoint }),
      status: isPast(resetsAt, now) ? "ok" : status,
      windows: merged(accounts.get(key)?.windows ?? [], own).map((one) => current(one, now)),
      reportedAt,
      sessionId,
    });
  }
  return [...accounts.values()].sort((one, other) => one.runtime.localeCompare(other.runtime));
}

/** Sorts the newest report last, so that it replaces the others. */
function byReport({ limit: one }: SessionInfo, { limit: other }: SessionInfo): number {
  return (one?.reportedAt ?? "").localeCompare(other?.reportedAt ?? "");
}

/** Returns the window of a limit for which the runtime reports no list of windows. */
function unnamed(window = "requests", resetsAt: string | undefined): LimitWindow {
  return { window, ...(resetsAt !== undefined && { resetsAt }) };
}

function merged(known: readonly LimitWindow[], reported: readonly LimitWindow[]): LimitWindow[] {
  const windows = new Map(known.map((one) => [one.window, one]));
  for (const one of reported) windows.set(one.window, one);
  return [...windows.values()];
}

function current({ usedPercent, ...window }: LimitWindow, now: Date): LimitWindow {
  const isKnown = usedPercent !== undefined && !isPast(window.resetsAt, now);
  return isKnown ? { ...window, usedPercent } : window;
}

function isPast(at: string | undefined, now: Date): boolean {
  return at !== undefined && Date.parse(at) <= now.getTime();
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}
