import type { EventDraft } from "../contracts/event-draft.ts";
import type { Usage } from "../schema/outcome.ts";
import type { UsageLimit } from "../schema/usage-limit.ts";

/** A usage limit as a mapper reports it: with a delay if the runtime reports no time, because a mapper has no clock. */
export interface LimitReport extends Omit<UsageLimit, "retryAt"> {
  /** The delay until the runtime sends the request again, in milliseconds. */
  readonly retryAfterMs?: number;
  /** When the runtime sends the request again. */
  readonly retryAt?: string;
}

/** Returns the draft of a usage limit that the runtime reports. */
export function limitDraft(limit: LimitReport, text?: string): EventDraft {
  const known = Object.entries(limit).filter(([, value]) => value !== undefined);
  return {
    type: "system",
    subtype: "limit",
    ...(text !== undefined && text !== "" && { text }),
    data: Object.fromEntries(known),
  };
}

/**
 * Returns the draft that reports the usage of the running turn, which the runtime reports after each request to the
 * model.
 */
export function usageDraft(usage: Usage): EventDraft {
  return { type: "system", subtype: "usage", data: { usage } };
}

/** Returns a time that a runtime reports as a number of seconds since 1970. */
export function timeOfSeconds(seconds: number | null | undefined): string | undefined {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
