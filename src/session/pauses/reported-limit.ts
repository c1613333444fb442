import { z } from "zod";
import type { SystemEvent } from "../../schema/event.ts";
import { UsageLimit } from "../../schema/usage-limit.ts";

/** The data of an adapter's `limit` draft. A mapper has no clock, so it may report a delay instead of a time. */
const ReportedLimit = UsageLimit.extend({ retryAfterMs: z.number().nonnegative().optional() });

/** Returns the `limit` event of a draft, with delays converted to times. A malformed draft becomes a warning. */
export function limitEvent(draft: SystemEvent, now: Date): SystemEvent & { data?: UsageLimit } {
  const parsed = ReportedLimit.safeParse(draft.data);
  if (!parsed.success) {
    const text = draft.text ?? "The runtime reported a usage limit.";
    return { type: "system", subtype: "warning", text };
  }
  const { retryAfterMs, ...limit } = parsed.data;
  if (retryAfterMs === undefined) return { ...draft, data: limit };
  const retryAt = new Date(now.getTime() + retryAfterMs).toISOString();
  return { ...draft, data: { resetsAt: retryAt, ...limit, retryAt } };
}
