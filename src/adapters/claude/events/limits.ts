import { limitDraft, timeOfSeconds } from "../../../adapter-kit/report-drafts.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { RateLimitInfo } from "../messages.ts";

/** Maps Claude's report about one of a subscription's usage windows. */
export function limitDrafts(info: RateLimitInfo | undefined): EventDraft[] {
  if (info?.status === undefined) return [];
  const { status, resetsAt: seconds, rateLimitType: window, utilization } = info;
  const resetsAt = timeOfSeconds(seconds);
  const reported = window !== undefined && {
    window,
    windows: [
      {
        window,
        ...(utilization !== undefined && { usedPercent: Math.round(utilization * 100) }),
        ...(resetsAt !== undefined && { resetsAt }),
      },
    ],
  };
  const limit = {
    status: states.get(status) ?? "warning",
    ...(resetsAt !== undefined && { resetsAt }),
    ...reported,
  };
  const text = status === "allowed" ? undefined : `usage limit: ${status.replaceAll("_", " ")}`;
  return [limitDraft(limit, text)];
}

const states = new Map([
  ["allowed", "ok"],
  ["allowed_warning", "warning"],
  ["rejected", "reached"],
] as const) as ReadonlyMap<string, "ok" | "warning" | "reached">;
