import type { EventDraft } from "../contracts/event-draft.ts";
import type { Usage } from "../schema/outcome.ts";
import type { UsageLimit } from "../schema/usage-limit.ts";

/**
 * A usage limit as a mapper reports it. If the runtime reports a delay instead of a time, the report contains the
 * delay, because a mapper has no clock.
 */
export interface LimitReport extends Omit<UsageLimit, "retryAt"> {
  /** The delay until the runtime retries the request, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The time at which the runtime retries the request (ISO 8601). */
  readonly retryAt?: string;
}

/** Returns the draft for a usage limit that the runtime reports. */
export function limitDraft(limit: LimitReport, text?: string): EventDraft {
  const known = Object.entries(limit).filter(([, value]) => value !== undefined);
  return {
    type: "system",
    subtype: "limit",
    ...(text !== undefined && text !== "" && { text }),
    data: Object.fromEntries(known),
  };
}

/** Returns the draft for the running turn's usage, which the runtime reports after each model request. */
export function usageDraft(usage: Usage): EventDraft {
  return { type: "system", subtype: "usage", data: { usage } };
}

/**
 * Converts a runtime's Unix time in seconds to an ISO 8601 string. Returns undefined if the value is not a positive,
 * valid time.
 */
export function timeOfSeconds(seconds: number | null | undefined): string | undefined {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
