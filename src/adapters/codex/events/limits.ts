import { limitDraft, timeOfSeconds } from "../../../adapter-kit/report-drafts.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { LimitWindow } from "../../../schema/usage-limit.ts";
import type { NotificationOf, RateLimitWindow } from "../messages.ts";

/**
 * Maps a ChatGPT plan's usage windows, which Codex reads from each response's headers. Emits them only if they changed.
 */
export class AccountWindows {
  #emitted = "";

  update({ rateLimits }: NotificationOf<"account/rateLimits/updated">["params"]): EventDraft[] {
    const windows = [
      toWindow("primary", rateLimits?.primary),
      toWindow("secondary", rateLimits?.secondary),
    ];
    const known = windows.filter((window) => window !== undefined);
    const emitted = JSON.stringify(known);
    if (known.length === 0 || emitted === this.#emitted) return [];
    this.#emitted = emitted;
    const full = known.filter(({ usedPercent = 0 }) => usedPercent >= 100);
    const reached = full.reduce(later, full[0]);
    if (reached === undefined) return [limitDraft({ status: "ok", windows: known })];
    const { window, resetsAt } = reached;
    return [
      limitDraft({
        status: "reached",
        window,
        ...(resetsAt !== undefined && { resetsAt }),
        windows: known,
      }),
    ];
  }
}

/** Returns the window that resets later, because requests are accepted again only when all full windows have reset. */
function later(one: LimitWindow | undefined, other: LimitWindow): LimitWindow {
  return (one?.resetsAt ?? "") >= (other.resetsAt ?? "") ? (one ?? other) : other;
}

function toWindow(name: string, native: RateLimitWindow): LimitWindow | undefined {
  if (native == null) return undefined;
  const { usedPercent, windowDurationMins: minutes, resetsAt: seconds } = native;
  const resetsAt = timeOfSeconds(seconds);
  const window = typeof minutes === "number" ? lengthOf(minutes) : name;
  return { window, usedPercent, ...(resetsAt !== undefined && { resetsAt }) };
}

function lengthOf(minutes: number): string {
  if (minutes % 1440 === 0) return `${minutes / 1440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}
